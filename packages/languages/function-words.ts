import type { Language } from '@media-search/search-engine/text/stems';

/** What a function word becomes: an English one, nothing, or the sign that what follows is excluded. */
export type FunctionWord = string;

/** What stands for “without”: what follows it is excluded. */
export const exclusion = 'without';

/** Words that join others, by language: alone they are dropped, `word=English` gives the English one. The first of them tell what language a query is in. */
const lists: Record<Language, string> = {
  de: `der die das den dem des ein eine einen einem einer eines und=and oder=or mit=with ohne=without in=in im=in ins=into auf=on am=on an=on ans=on aus=from bei=at
    beim=at bis für=for gegen=against hinter=behind nach=to neben=beside über=over um=around unter=under von=of vom=of vor=before zu=to zum=to zur=to zwischen=between
    durch=through während=during er sie es ich du wir ihr ihm ihn ihnen sein seine seinen seiner ihre ihren ihrer mein meine meinen meiner unser unsere dein deine
    ist sind war waren wird werden hat haben sich auch noch so wie als dass wenn wo wer was welche welcher welches dieser diese dieses jemand=somebody etwas=something
    nicht kein keine keinen man gerade beide mehrere=several viele=many alle=all`,
  es: `el la los las un una unos unas y=and e=and o=or con=with sin=without en=in de=of del=of a=to al=to por=by para=for sobre=on bajo=under entre=between
    desde=from hasta durante=during contra=against hacia=toward ante tras=behind que se su sus mi mis tu tus lo le les es son está están ser fue eran hay
    muy más como cuando donde quien alguien=somebody algo=something este esta esto estos estas ese esa no unos varios=several muchos=many muchas=many todos=all`,
  fr: `le la les l un une des d de=of du=of et=and ou=or avec=with sans=without dans=in en=in sur=on sous=under à=at au=at aux=at par=by pour=for chez=at
    entre=between vers=toward pendant=during contre=against derrière=behind devant=before qui que qu s se son sa ses leur leurs mon ma mes ce cette ces c est sont
    était il elle ils elles on nous vous je j ne n pas très plus comme quand où quelqu’un=somebody quelqu quelque=some plusieurs=several beaucoup=many tous=all y`,
  it: `il lo la i gli le l un uno una e=and ed=and o=or con=with senza=without in=in nel=in nella=in nei=in nelle=in nello=in nell=in su=on sul=on sulla=on sui=on
    sulle=on sullo=on sull=on di=of d=of del=of della=of dei=of delle=of dello=of degli=of dell=of a=to al=at alla=at ai=at alle=at allo=at agli=at all=at da=from dal=from
    dalla=from dai=from dalle=from dall=from per=for tra=between fra=between sotto=under sopra=above dietro=behind contro=against verso=toward durante=during che chi si
    è sono era erano suo sua suoi sue mio mia c ci non molto più come quando dove qualcuno=somebody qualcosa=something questo questa questi queste parecchi=several
    molti=many molte=many tutti=all`,
  pt: `o a os as um uma uns umas e=and ou=or com=with sem=without em=in no=in na=in nos=in nas=in num=in numa=in de=of do=of da=of dos=of das=of ao=to à=at aos=to
    por=by pelo=by pela=by para=for sobre=on sob=under entre=between desde=from até durante=during contra=against atrás=behind que se seu sua seus suas meu minha é são
    está estão era muito mais como quando onde quem alguém=somebody algo=something este esta isto esse essa não vários=several várias=several muitos=many muitas=many
    todos=all lo la`,
  nl: `de het een en=and of=or met=with zonder=without in=in op=on aan=on bij=at naar=to van=of voor=for over=over onder=under tussen=between achter=behind naast=beside
    tegen=against tijdens=during door=by uit=from om tot die dat deze dit er is zijn was waren wordt worden heeft hebben zich zijn haar hun mijn ons onze hij zij ze ik
    je jij wij we niet geen ook nog zo als wanneer waar wie wat iemand=somebody iets=something elkaar=each s te t n meerdere=several veel=many alle=all`,
  pl: `i=and oraz=and lub=or albo=or z=with ze=with bez=without w=in we=in na=on do=to od=from po=after pod=under nad=over przed=before za=behind przy=at między=between
    przez=through dla=for o u ku podczas=during się że który która które którzy jest są był była było były to ten ta te tego tej tym jego jej ich mój moja nie bardzo
    jak kiedy gdzie kto ktoś=somebody coś=something kilka=several wiele=many wielu=many dużo=many wszyscy=all`,
  ja: `の が は を に=in で=in と=and や=and へ=to から=from まで も か ね よ な だ です である いる ある ます た て 上 中 下 または=or そして=and なし=without
    この その あの 人々=people たち こと もの ため ように など`,
  zh: `的 了 着 过 在 地 得 是 和=and 与=and 或=or 跟=with 里 上 中 下 有 一个 个 只 这 那 这个 那个 没有=without 无=without 从=from 到=to 把 被 也 都 就
    正在 一 一只 一辆 一条 一张 些 一些=some 很多=many 们`,
  hi: `का के की को में=in पर=on से=from और=and या=or है हैं था थी थे हो होता होते होती हुआ हुई हुए एक यह वह ये वे ने भी ही तक साथ=with बिना=without
    लिए=for नीचे=under ऊपर=above पास=near बीच=between रहा रही रहे कर करता करते करती किया जो कोई=somebody कुछ=some इस उस इन उन बहुत=many पीछे=behind सामने=before`,
};

const tables = Object.fromEntries(
  Object.entries(lists).map(([language, list]) => [
    language,
    new Map(
      list
        .split(/\s+/)
        .filter((item) => item !== '')
        .map((item) => {
          const [word = '', english = ''] = item.split('=');
          return [word, english] as const;
        }),
    ),
  ]),
) as Record<Language, Map<string, FunctionWord>>;

/** What a function word of a language becomes in English, an empty text where it is left out; undefined for other words. */
export const functionWord = (language: Language, word: string): FunctionWord | undefined => tables[language].get(word);

/** Function words that English has at most as names and abbreviations, by language: beside a word of their language they decide for it. */
const signs: Partial<Record<Language, ReadonlySet<string>>> = {
  de: new Set('ein eine einen einem einer eines das der dem des im am zum zur vom beim mit und auf'.split(' ')),
  es: new Set('el la los las un una unos unas del al'.split(' ')),
  fr: new Set('un une des les la le du au aux dans avec et'.split(' ')),
  it: new Set('un una uno il la le gli del della dei degli delle nel nella nelle nei sul sulla al alla'.split(' ')),
  pt: new Set('um uma umas nas nos dos da das com'.split(' ')),
  nl: new Set('een het'.split(' ')),
  pl: new Set('z w ze nad przy przez'.split(' ')),
};

/** Whether a word is one of a language that English has at most as a name or an abbreviation, such as “un” and “la”. */
export const isSign = (language: Language, word: string): boolean => signs[language]?.has(word) ?? false;

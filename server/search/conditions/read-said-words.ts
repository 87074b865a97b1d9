import { add, pattern, type Reading, taken } from './condition.ts';

/** Who says something, where it does not matter who. */
const anybody = String.raw`(?:(?:someone|somebody|anyone|anybody|everyone|everybody|a person|a voice|one(?: of them)?|people|they|you can hear(?: someone| a voice)?|hear(?: someone)?) )?`;
const where = String.raw`(?:(?:(?:where|in which|when|while)(?: (?:he|she))?|that|who|which) )?`;
const says = String.raw`(?:says?|said|saying|mention(?:s|ed|ing)?|talk(?:s|ed|ing)? about|speak(?:s|ing)? about|spoke about|utter(?:s|ing|ed)?)`;
const people =
  'someone|somebody|anyone|one|person|people|man|men|woman|women|boy|girl|kid|child|children|guy|lady|speaker|teacher|host|guest|presenter|reporter|friend|mother|father|mom|dad|player|coach|chef|voice|narrator|he|she|they|it|video|clip|film|recording';
const word = String.raw`(?:(?:the )?(?:words?|phrase|sentence|name|term) )?`;
const sign = String.raw`(?:signs?|signpost|banners?|posters?|screens?|billboards?|labels?|(?:t-?)?shirts?|stickers?|caps?|hats?|books?|newspapers?|headlines?|captions?|titles?|text|boards?|whiteboards?|blackboards?|slides?|buttons?|plates?|neon|letters|display|menu|page|paper|note|logo|door|wall|subtitle|graffiti)`;
const written = String.raw`(?:says?|said|saying|reads?|reading|spells?|spelling)`;
/** An operator, as which it is in capitals in a sentence that is not. */
const and = String.raw`\s(?-i:AND\s(?:(?<=\p{Ll}.*)|(?=.*\p{Ll})))`;
/** Words without quotation marks, which end where a condition or another part of an expression begins. */
const object = String.raw`(?:QUOTED|(?<words>[^,;.!?"“”„«»${taken}]+?)(?=\s*(?:$|[,;.!?${taken}])|${and}))`;
const quoted = String.raw`["“”„«»'‘](?<quoted>[^"“”„«»]+?)["“”»'’](?=\s|$|[,;.!?${taken}])`;

/** The same where words follow that say where it is. */
const inside = String.raw`(?:QUOTED|(?<words>[^,;.!?"“”„«»${taken}]+?))`;
/** Where words are that are quoted. Those that are not hold it themselves: see `tail`. */
const onIt = String.raw`(?: (?:(?:written|printed|painted) )?on (?:it|them|screen|the screen)(?![\p{L}'’]))?`;
const of = (source: string): RegExp => pattern(source.replace('QUOTED', quoted));

const rules: readonly { field: 'shown' | 'said'; of: RegExp }[] = [
  {
    field: 'said',
    of: of(
      String.raw`\b${where}(?:with )?(?:the )?(?:words?|phrase) ${inside} (?:is |are |being |was )?(?:said|spoken|mentioned|heard|can be heard)`,
    ),
  },
  // The thing that carries the words stays: it is seen.
  {
    field: 'shown',
    of: of(
      String.raw`(?<=\b${sign} )(?:(?:that|which) )?(?:${written}|with|showing|bearing)(?: the)? (?:words?|text|phrase|letters|name|title|caption) ${object}${onIt}`,
    ),
  },
  { field: 'shown', of: of(String.raw`(?<=\b${sign} )(?:(?:that|which) )?${written} ${object}`) },
  {
    field: 'shown',
    of: of(
      String.raw`\b${where}(?:it )?(?:show(?:s|ing)?|display(?:s|ing)?|with|has|having|contain(?:s|ing)?|read(?:s|ing)?)(?: the)? (?:words?|text|phrase|caption|letters) ${object}${onIt}`,
    ),
  },
  {
    field: 'shown',
    of: of(
      String.raw`\b(?:(?:with|showing) )?(?:on-?screen text|text on(?: the)? screen)(?: (?:that )?(?:says|reads|saying|reading))?:? ${object}`,
    ),
  },
  {
    field: 'shown',
    of: of(
      String.raw`\b${where}(?:the )(?:words?|text|phrase) ${inside} (?:is |are |being )?(?:on (?:the )?screen|on (?:a|the) ${sign}|written(?: somewhere)?|visible|shown|displayed|appears?|can be (?:seen|read))`,
    ),
  },
  {
    field: 'shown',
    of: of(
      String.raw`(?:\b(?:that |which )?(?:has|have|with|having) )?QUOTED (?:(?:is |being )?(?:written|printed|painted|displayed|on (?:the )?screen)\b(?: (?:on|across|over) (?:(?:it|them)\b|(?:the|its|an?|his|her|their) [^\s,;.!?]+))?|on (?:(?:it|them)\b|(?:its|his|her|their) [^\s,;.!?]+))`,
    ),
  },
  {
    field: 'shown',
    of: of(
      String.raw`\b(?:with )?(?:the )?(?:words?|text|phrase|lettering|letters|caption|inscription) QUOTED (?:written |printed |painted )?(?:(?:on|above|across|over) (?=(?:an?|the|his|her|its|their|some) )|in (?=(?:an?|the) (?:window|headline|title|background|subtitles?)\b))`,
    ),
  },
  {
    field: 'said',
    of: of(
      String.raw`\b(?:with )?(?:the )?(?:spoken (?:words?|text|phrase|line|sentence)|(?:audio|dialogue?|speech|voice-?over|soundtrack|commentary|narration|line|quote)(?: (?:that )?(?:is|says|saying|contains|containing|has|with|includes|including|mentions))?(?: the (?:words?|phrase))?)(?: is| are)?:? QUOTED`,
    ),
  },
  // Who says something is said by a person; what says something is a thing.
  {
    field: 'shown',
    of: of(String.raw`(?<!\b(?:${people})s? )(?<=[^\s,;:] )(?:that|which) ${written} (?!that )${object}`),
  },
  {
    field: 'said',
    of: of(
      String.raw`\b${where}${anybody}(?:shout|yell|whisper|sing|announc|chant|ask|tell|scream|repeat|call|explain|answer|cr)(?:s|es|ed|ies|ying|ing|ing out)?(?: out)? QUOTED`,
    ),
  },
  { field: 'said', of: of(String.raw`\b${where}${anybody}${says} ${word}${object}`) },
];

const tail = pattern(
  String.raw` (?:(?:written |printed |painted )?on (?:it|them|the screen|screen|a sign|the sign)|is shown|is written|is said|somewhere|in (?:a|the) (?:video|clip|picture|photo))$`,
  'iu',
);

/**
 * Takes out what is to be said or shown in letters: `someone says hello`, `a sign that reads “exit”`.
 * @param literals where the sentence holds what must be in the text or must not be: nothing is read from within
 */
export function readSaidWords(
  reading: Reading,
  source: string,
  literals: readonly { start: number; end: number }[],
): void {
  /** Whether a place is in a quotation, if not the very object of what is read there, or behind what must not be. */
  const isKept = (place: number) =>
    literals.some(({ start, end }) => {
      if (start < place && place < end) return true;
      if (place === start) return source[start] === '-' || /^without\b/iu.test(source.slice(start));
      return place === end + 1 && /^without\b/iu.test(source.slice(start));
    });
  for (const { field, of: each } of rules) {
    for (const match of source.matchAll(each)) {
      const [start, end] = [match.index, match.index + match[0].length];
      if (isKept(start)) continue;
      if (reading.found.some((other) => other.certain && start < other.end && other.start < end)) continue;
      const literal = match.groups?.['quoted'];
      const words = (literal ?? (match.groups?.['words'] ?? '').replace(tail, '')).trim();
      if (words === '') continue;
      const parameters = {
        in: field === 'said' ? ('speech' as const) : ('ocr' as const),
        words: literal === undefined ? words : `"${words}"`,
      };
      add(reading, { start, end, field, parameters, certain: true });
    }
  }
}

import {
  add,
  isNegated,
  kept,
  type KnownName,
  mediaNoun,
  pattern,
  photoNoun,
  type Reading,
  taken,
  videoNoun,
} from './condition.ts';
import { findMentions } from './find-names.ts';

/** Words in front of a noun for media that leave it what is asked for. */
const qualities =
  'short|brief|quick|long|nice|good|great|beautiful|best|new|raw|other|more|few|several|couple of|lots of|bunch of|kind of|sort of';
/** What says that it has to be a video or a photo. */
const hasToBe =
  /(?:(?:it|that|this|they)\s+)?(?:\b(?:needs?|has|have|got|ought)\s+to\s+be|\b(?:must|should)\s+be|\b(?:(?:media|file)\s+)?(?:type|kind|medium)(?:\s+is|\s?[:=])?)\s+(?:an?\s+)?$/iu;

/** Words before a noun for media with which that is something shown: a photograph on a wall, somebody who is taking one. */
const shownBefore = pattern(
  String.raw`\b(?:an?|the|his|her|their|its|this|that|of|with|on|in|at|to|or|through|into|old|framed|torn|hanging|burning|(?:tak|watch|view|look|hold|mak|show|edit|sort|film|record|shar|print|brows|scroll|pos|fram|sell)(?:e|es|ing|s|ed)?|took|(?<!black )and(?! white)|hair|paper|money|tie|nose|binder)(?![^ ])(?=[^${taken}]*$)`,
  'iu',
);
/** `a basket pictures`: one basket, and then pictures. */
const endsWithOne = /\ban?\s+(?!\S*(?:ing|s)\b)\S+(?:\s+(?!\S*(?:ing|s)\b)(?:of\s+)?\S+)?$/iu;
const behind = new RegExp(
  String.raw`^(?:\s+(?:only|please))*\s*(?:$|[,;:.!?)${taken}${kept}]|\(${taken}|(?:of|showing|with|from|by|about|where|in which|that|which|when|taken|shot|filmed|recorded|made|featuring|containing)\b)`,
  'iu',
);
const determiners = pattern(
  String.raw`(?:^|\s)(?:(?:an?|the|any|all|some|my|our|every|only|just|these|those|${qualities}) )+$`,
  'iu',
);
const asksFor = pattern(
  String.raw`^(?:(?:please|show me|find me|find|search for|search|look for|looking for|i am looking for|i['’]?m looking for|i want to see|i want|i need|give me|get me|do we have|have we got|are there|is there|list|display|all|any|some|the|my|our|every|an?|only|just|those|these|me|for|${qualities})(?: |$))+`,
  'iu',
);

/** Takes out whether videos or photos are meant: `videos of …`, `dog photos`; not `a man taking photos`. */
export function readType(reading: Reading, names: readonly KnownName[]): void {
  const { text } = reading;
  const named = findMentions(text, names).filter(({ isWhole }) => isWhole);
  const nouns = [
    ...text.matchAll(new RegExp(String.raw`\b(?:(?<video>${videoNoun})|(?<photo>${photoNoun}))\b`, 'giu')),
  ].filter(
    // Golden Gate Films are no films.
    ({ index }) => !named.some(({ start, end }) => start <= index && index < end),
  );
  const found = nouns.flatMap((match) => {
    const { index, groups } = match;
    const end = index + match[0].length;
    const front = text.slice(0, index).replaceAll(taken, ' ').trimStart();
    const rest = text.slice(end);
    const described = front.replace(asksFor, '').trim();
    // It is a part of an expression.
    if (/(?:^| )(?:AND|OR|THEN)$/.test(described)) return [];
    const isOne = !/s$|footage/iu.test(match[0]);
    const after = behind.exec(rest);
    const isListed =
      /(?:[,;.?!(]|\s[-–—])\s*(?:(?:only|just|as)\s+)?$/iu.test(front) &&
      new RegExp(String.raw`^(?:\s+(?:only|please))*\s*(?:$|[,;.!?)${taken}])`, 'iu').test(rest);
    const said = after === null ? undefined : hasToBe.exec(text.slice(0, index))?.[0];
    const isHead = described === '' && after !== null;
    const isKind =
      !isOne &&
      described !== '' &&
      after !== null &&
      (!shownBefore.test(`${described} `) || endsWithOne.test(described));
    if (!isHead && !isListed && !isKind && said === undefined) return [];
    if (!isListed && said === undefined && described.includes(kept)) return [];
    const introduces =
      isHead || isKind
        ? (/^\s+(?:of|from|showing|about|featuring|containing|with|(?:that|which) (?:show|shows|contain))\b/iu.exec(
            rest,
          )?.[0] ?? '')
        : '';
    const determiner = (said ?? determiners.exec(text.slice(0, index))?.[0] ?? '').length;
    return [
      {
        start: index - determiner,
        end: end + introduces.length,
        type: groups?.['video'] === undefined ? 'image' : 'video',
      },
    ];
  });
  const first = found.find(({ start }) => !isNegated(text.slice(0, start)));
  // “Photos and videos of …” asks for both.
  if (!first || (nouns.length > 1 && pattern(String.raw`(?:${mediaNoun}) (?:and|or|&) (?:${mediaNoun})`).test(text)))
    return;
  add(reading, { start: first.start, end: first.end, field: 'type', parameters: { type: first.type }, certain: true });
}

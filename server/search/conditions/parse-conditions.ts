import { findWithin, parseExpression } from '@media-search/search-engine/text/expression';
import { type Condition, type Found, keep, type KnownName, pattern, type Reading, taken } from './condition.ts';
import { dayIn } from './periods.ts';
import { readDates } from './read-dates.ts';
import { preferNames, readNames } from './read-names.ts';
import { readProperties } from './read-properties.ts';
import { readSaidWords } from './read-said-words.ts';
import { readType } from './read-type.ts';

/** What must be in the text or must not be, as it is written: no condition is read from it. */
const literal =
  /(?<!\b(?:collection|album|folder|project|tag|tagged|category|called|named|creator|by)\s*:?\s*)(?<=^|\s)-?"[^"]+"|[“„«][^”“»]+[”“»]|(?<=^|\s)-[\p{L}\p{N}]\S*|\bwithout\s+(?!(?:a\s+)?(?:rating|stars?)\b)\S+/giu;

/** What has more words is a text, not a sentence that somebody asks: it is searched for as it is, and takes no time here. */
const maxWords = 40;

/**
 * Finds the conditions in a sentence, by their places: when and where something was recorded, by whom, on what, what it is filed under, how long it is. Rules, no model: the same sentence has the
 * same conditions. What may as well be shown is not certain.
 * @param sentence a query as somebody wrote it
 * @param about.names creators, categories, collections, tags, places and cameras of the workspace; those that the sentence does not name change nothing
 * @param about.now when it is asked: `last summer` is before that
 * @param about.zone time zone of who asks, an IANA name; throws a `RangeError` for one that does not exist
 */
export function parseConditions(
  sentence: string,
  { names, now, zone }: { names: readonly KnownName[]; now: Date; zone: string },
): Condition[] {
  const { text, places } = withSingleSpaces(sentence);
  if (text.split(' ').length > maxWords) return [];
  const reading: Reading = { text, found: [] };
  const literals = [...text.matchAll(literal)].map(({ index, 0: words }) => ({
    start: index,
    end: index + words.length,
  }));
  const within = findWithin(text);
  for (const { start, end } of within ? [...literals, within] : literals) keep(reading, start, end);
  const today = dayIn(now, zone);
  readNames(reading, names, ['collection_ids', 'tag_ids', 'category_id']);
  readProperties(reading);
  readDates(reading, today, names);
  readNames(reading, names, ['creator_id', 'camera']);
  readNames(reading, names, ['place']);
  // What is said takes the place of all that is searched for, which only what is in one moment can be.
  const steps = parseExpression(text)?.steps ?? [];
  if (steps.flat().length < 2) readSaidWords(reading, withTaken(text, reading.text), literals);
  readType(reading, names);
  const settled = settle(reading.found);
  const rest: Reading = { text: reading.text, found: settled };
  preferNames(rest, names);
  return rest.found
    .toSorted((a, b) => a.start - b.start)
    .map((found) => {
      const [start, end] = [places[found.start] as number, (places[found.end - 1] as number) + 1];
      return { ...found, start, end, text: sentence.slice(start, end) };
    });
}

/** A sentence in which each space is a single one, and where each of its characters is in the sentence as it was written. */
function withSingleSpaces(sentence: string): { text: string; places: number[] } {
  let text = '';
  const places: number[] = [];
  for (let i = 0; i < sentence.length; i++) {
    const isSpace = /\s/u.test(sentence[i] as string);
    if (isSpace && text.endsWith(' ')) continue;
    text += isSpace ? ' ' : sentence[i];
    places.push(i);
  }
  return { text, places };
}

/** The sentence as it was written, but for what is taken. */
const withTaken = (sentence: string, text: string): string =>
  Array.from({ length: sentence.length }, (_, i) => (text[i] === taken ? taken : sentence[i])).join('');

/** One condition a field: a filter takes one value. Where there are more, none of them is certain. */
function settle(found: Reading['found']): Reading['found'] {
  const isTaken = (each: Found) =>
    found.some((other) => other.certain && other.start < each.end && each.start < other.end);
  const byField = Map.groupBy(
    found.filter((each) => each.certain || !isTaken(each)),
    ({ field }) => field,
  );
  return [...byField.values()].flatMap((of) => {
    const certain = of.filter((each) => each.certain);
    if (certain.length < 2) return of;
    return of.map((each) => ({ ...each, certain: false }));
  });
}

/** Words that introduce or join conditions, and say nothing without them. */
const opening = pattern(
  String.raw`^(?:(?:please|(?:would|could|can) you(?: please)?(?: find| show)?(?: me)?(?: it)?|i(?: would|['’]d) like(?: to see)?|i (?:only )?want|i (?:only )?need|need|i remember|i(?:['’]m| am) after|(?:could|can|may) (?:i|we) (?:get|have|see)(?: all)?|where(?:['’]s| is| are) (?:the|that|those) (?:shots?|ones?|clips?|videos?|photos?|pictures?|scenes?)|(?:the|that) ones?(?= (?:where|in which|with|when|that)(?: |$))|only|what(?:['’]s| is| was| were)?(?: (?:did )?we(?: got| get| have| shot)?| did)?|we|ones?|in(?=[,;: ]*[,;:]|$)|in(?=[,;:]|$)|there(?:['’]s| is| are)(?: something| any)?|(?:were|was|is|are) there(?: any)?|still|whatever(?: came in)?|(?:the )?(?:moments?|scenes?|parts?|bits?) (?:when|where|in which)|(?:the|an?|my|our|any|all|some|these|those)(?= (?:of|from|with|in|by|on|at|that|which|where|the|an?)(?: |$)|$|[,;.?!])|show me|find me|find|search for|look for|looking for|i am looking for|i['’]?m looking for|i want to see|give me|get me|everything|anything|something|all|any|stuff|things|media|of|with|and|that (?:are|is|was|were|show|shows)|that|which (?:are|is|was|were)|which|where|in which|showing|shows|about|was|were|are|is|but)(?= |$)|only[,.;:]|[-–—] |[,;.:] ?) *`,
  'iu',
);
const closing = pattern(
  String.raw`(?: |^)(?:of|with|and|that|which|where|from|in|by|on|at|are|is|was|were|but|taken|shot|filmed|recorded|made|please|only|ideally|preferably|(?:it )?must(?: have been| be)?|(?:it )?(?:has|have|needs?)(?: to be)?|(?:can|could|may) (?:i|we) (?:see|have|get) (?:it|them|that)|where (?:he|she|they|someone|somebody|one of them)|one of them|no matter who (?:took|made|shot|filmed) (?:it|them))$|[\s,;.:?!]+$| [-–—]$`,
  'iu',
);

/** What is left of a sentence without the conditions that are certain, by their places: as it was written where none is. */
export function describe(sentence: string, conditions: readonly Condition[]): string {
  const certain = conditions.filter((each) => each.certain).toSorted((a, b) => a.start - b.start);
  if (certain.length === 0) return sentence;
  let rest = '';
  let from = 0;
  for (const { start, end } of certain) {
    rest += `${sentence.slice(from, start)} `;
    from = Math.max(from, end);
  }
  rest = (rest + sentence.slice(from))
    .replaceAll(/\(\s*(?:[,;]\s*)*\)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\s+(?=[,;.!?])/g, '')
    .replaceAll(/([,;])(?:\s*[,;])+/g, '$1')
    .trim();
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replace(opening, '').replace(closing, '').trim();
  }
  return rest;
}

import { add, followsMedia, type Found, type KnownName, mediaNoun, pattern, type Reading } from './condition.ts';
import { type DateExpression, readExpressions } from './date-expressions.ts';
import { findMentions } from './find-names.ts';
import { type Day, formatDay, months, partsOf, type Period } from './periods.ts';

/** From one day to another, both included; without one it is open there. */
type Bounds = { from?: Day; to?: Day };

const recorded = String.raw`(?:\b(?:(?:that|which) )?(?:was |were |are |is )?(?:taken|shot|filmed|recorded|captured|created|made|dated|uploaded) )?`;
/** Photos of 2024 are dated, a model of 2024 is shown. */
const ofMedia = String.raw`(?<=\b(?:${mediaNoun}) )of`;

/** Words behind a year that do not make it a part of what something is called. */
const notNamed = String.raw`in|on|at|by|of|from|with|and|or|to|but|near|where|when|which|that|who|only|please|shot|taken|filmed|recorded|made|an?|the`;

/** What stands in front of days, and what it says of them. The first that fits counts. */
const operators: readonly {
  before: RegExp;
  after?: RegExp;
  toBounds: (period: Period) => Bounds;
  strength: 0 | 1 | 2;
}[] = [
  {
    before: pattern(`${recorded}\\b(?:since|starting(?: in| from| with)?|as of|from) (?:the )?$`, 'iu'),
    after: pattern(
      '^ ?(?:on|onwards?|and onwards?|and on|forwards?|and later|or later|until (?:now|today)|up to (?:now|today)|till (?:now|today)|to (?:now|date|the present))\\b(?! (?:a|the) )',
      'iu',
    ),
    toBounds: ({ from }) => ({ from }),
    strength: 2,
  },
  {
    before: pattern(
      `${recorded}\\b(?:since|starting(?: in| from| with)?|not (?:before|older than|earlier than)|no (?:earlier|older) than|(?:in|from) or after) (?:the )?$`,
      'iu',
    ),
    toBounds: ({ from }) => ({ from }),
    strength: 2,
  },
  {
    before: pattern(`${recorded}(?:\\b(?:in|from) )?$`, 'iu'),
    after: pattern('^ (?:or|and) (?:later|newer|after|since|more recent|onwards?|up)\\b', 'iu'),
    toBounds: ({ from }) => ({ from }),
    strength: 2,
  },
  {
    before: pattern(`${recorded}(?:\\b(?:in|from) )?$`, 'iu'),
    after: pattern('^ (?:or|and) (?:earlier|older|before)\\b', 'iu'),
    toBounds: ({ to }) => ({ to }),
    strength: 2,
  },
  {
    before: pattern(`${recorded}\\b(?:before|prior to|earlier than|older than|pre-?) ?(?:the )?$`, 'iu'),
    toBounds: ({ from }) => ({ to: from - 1 }),
    strength: 2,
  },
  {
    before: pattern(
      `${recorded}\\b(?:until|till|up (?:to|until|till)(?:,? and including)?|not after|(?:no|not) later than|(?:in|from) or before|by(?: the)? end of) (?:the )?$`,
      'iu',
    ),
    toBounds: ({ to }) => ({ to }),
    strength: 2,
  },
  {
    before: pattern(`${recorded}\\b(?:after|later than|newer than|more recent than) (?:the )?$`, 'iu'),
    toBounds: ({ to }) => ({ from: to + 1 }),
    strength: 2,
  },
  {
    before: pattern(
      `${recorded}(?:\\b(?:in|on|during|from|throughout|within|over|all of|date(?: ?[:=]| is| was)?|(?:from|when|year|month|day|taken|recorded):)|${ofMedia}) (?:the )?$`,
      'iu',
    ),
    toBounds: (period) => period,
    strength: 1,
  },
  { before: pattern(`${recorded}$`, 'iu'), toBounds: (period) => period, strength: 0 },
];

const strengthOf = { nothing: 0, preposition: 1, comparison: 2 } as const;

const toParameters = ({ from, to }: Bounds) => ({
  ...(from === undefined ? {} : { taken_after: formatDay(from) }),
  // The bound is the first day that does not count.
  ...(to === undefined ? {} : { taken_before: formatDay(to + 1) }),
});

/**
 * Takes out when things were recorded: `last summer`, `in May 2024`, `before Christmas`, `from 2019 to 2021`.
 * @param today the day on which it is asked
 * @param names those of the workspace: what one of them is may not be a date
 */
export function readDates(reading: Reading, today: Day, names: readonly KnownName[]): void {
  const { text } = reading;
  const named = findMentions(text, names);
  const expressions = readExpressions(text, today);
  for (let i = 0; i < expressions.length; i++) {
    const range = readRange(text, expressions[i] as DateExpression, expressions[i + 1]);
    if (range) i += 1;
    for (const found of range ? [range] : readOne(text, expressions[i] as DateExpression)) {
      // A collection may be called Summer 2023, and May may be somebody.
      const isName = named.some(
        ({ start, end, isWhole }) =>
          start < found.end &&
          found.start < end &&
          (isWhole || (end === found.end && /^from\b/iu.test(text.slice(found.start)))),
      );
      // Nothing is taken in a collection, but in the summer that it is called after.
      const isWhen = /^(?:\S+ ){0,2}(?:taken|shot|filmed|recorded|captured|made) (?:in|during|on|over) /iu.test(
        text.slice(found.start, found.end),
      );
      // In `what Anna made last month` the verb is hers.
      const verb = named.some(({ field, end }) => field === 'creator_id' && end + 1 === found.start)
        ? (/^(?:shot|filmed|recorded|captured|created|made|uploaded) /iu.exec(text.slice(found.start))?.[0].length ?? 0)
        : 0;
      add(reading, { ...found, start: found.start + verb, certain: found.certain && (!isName || isWhen) });
    }
  }
}

/** `from March to May 2024`, `between 2019 and 2021`. */
function readRange(text: string, first: DateExpression, second: DateExpression | undefined): Found | null {
  if (!second) return null;
  const before = pattern(`${recorded}\\b(?:from|between) (?:the )?$`, 'iu').exec(text.slice(0, first.start));
  const isRange = pattern('^(?: (?:to|until|till|through|and|up to) (?:the )?|\\s*[-–—]\\s*)$', 'iu').test(
    text.slice(first.end, second.start),
  );
  const isMonths = first.month !== undefined && second.needs === 'nothing';
  if (!isRange || (!before && !isMonths && (first.needs !== 'nothing' || second.needs !== 'nothing'))) return null;
  if (!before && pattern('^ and ', 'iu').test(text.slice(first.end, second.start))) return null;
  const [{ to }] = second.periods;
  let [{ from }] = first.periods;
  // `from March to May 2024`: the month has the year of the other, or that before it.
  if (first.month !== undefined) {
    const { year } = partsOf(to);
    from = months(year, first.month).from;
    if (from > to) from = months(year - 1, first.month).from;
  }
  if (from > to) return null;
  const start = first.start - (before?.[0].length ?? 0);
  return { start, end: second.end, field: 'taken_at', parameters: toParameters({ from, to }), certain: true };
}

function readOne(text: string, { start, end, periods, needs }: DateExpression): Found[] {
  const [front, rest] = [text.slice(0, start), text.slice(end)];
  for (const { before, after, toBounds, strength } of operators) {
    const match = before.exec(front);
    const behind = after?.exec(rest);
    if (!match || (after && !behind)) continue;
    // `videos 2024`, `Lisbon, May`: it can be nothing else beside what is certain.
    const isAlone =
      needs === 'preposition' &&
      (followsMedia(front) ||
        (/^\d{4}(?:\s*[-–—/]\s*\d{4})?$/.test(text.slice(start, end)) &&
          (/[,;(]\s*$/u.test(front) || (front === '' && /^\s*[,;:]/u.test(rest))))) &&
      /^\s*(?:$|[,;:.!?)])/u.test(rest);
    const isDated =
      /\b(?:taken|shot|filmed|recorded|dated)\b/iu.test(match[0]) ||
      (strength === 1 && followsMedia(front.slice(0, match.index)));
    // The 1936 games and the 2024 election are shown, whenever that was recorded.
    const isAttribute =
      /^(?:the )?['’]?\d{2,4}s?$/iu.test(text.slice(start, end)) &&
      (/\bthe $/iu.test(front) || /^of /iu.test(match[0])) &&
      new RegExp(String.raw`^ (?!(?:${notNamed}|${mediaNoun})\b)\p{L}`, 'iu').test(rest);
    const isShown =
      isAttribute || (strength === 0 && /\b(?:showing|shows?|number|reads|saying|says)\s+$/iu.test(front));
    // The night before Christmas is one.
    const isBeside =
      strength === 2 &&
      /\b(?:nights?|days?|evenings?|mornings?|weeks?|weekends?|hours?|minutes?|moments?|party|rush) $/iu.test(
        front.slice(0, match.index),
      );
    const certain =
      !isShown && !isBeside && periods.length === 1 && (strength >= strengthOf[needs] || isAlone || isDated);
    // `may` without a word that makes it a month is none, nor is `1967` in front of a thing.
    const isWord =
      /^\p{Ll}/u.test(text.slice(start)) || (/^\d/.test(text.slice(start)) && !/^\s*(?:$|[,;.!?])/u.test(rest));
    if (
      !certain &&
      strength === 0 &&
      needs !== 'nothing' &&
      isWord &&
      /^(?:\d|may|mar|jan|jun|jul|dec|oct|nov|sep|aug|apr|feb)/i.test(text.slice(start))
    )
      return [];
    return periods.map((period) => ({
      start: match.index,
      end: end + (behind?.[0] ?? /^['’]s\b/u.exec(rest)?.[0] ?? '').length,
      field: 'taken_at',
      parameters: toParameters(toBounds(period)),
      certain,
    }));
  }
  return [];
}

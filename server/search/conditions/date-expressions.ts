import type { ParsedComponents } from 'chrono-node';
import { casual } from 'chrono-node/en';
import { pattern } from './condition.ts';
import { numberSource, toNumber } from './numbers.ts';
import {
  type Day,
  dayOf,
  holidays,
  latest,
  months,
  partsOf,
  type Period,
  seasonOf,
  seasons,
  yearOf,
} from './periods.ts';

/** Words of a sentence that name some days. */
export type DateExpression = {
  start: number;
  end: number;
  /** What it may mean; more than one where that cannot be told. */
  periods: [Period, ...Period[]];
  /**
   * What it takes to be a date: nothing beside it (`last summer`, `May 2024`), a word in front (`in May`), or a comparison (`before Christmas`): with less it may as well be
   * what is shown.
   */
  needs: 'nothing' | 'preposition' | 'comparison';
  /** The month of a date without a year, which that of a range may give. */
  month?: number;
};

const monthNames =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const monthOf = (name: string): number =>
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].indexOf(
    name.slice(0, 3).toLowerCase(),
  ) + 1;
const year = String.raw`(?:19|20)\d\d`;
const seasonNames = Object.keys(seasons).join('|');
const holidayNames = holidays.map(({ name }) => name).join('|');
const units = 'day|week|month|year|night|weekend';

/** What was recorded before is seldom in a library: a year of then is as likely to be of what is shown, as a car is from 1967. */
const firstLikelyYear = 1990;

const week = (day: Day): Period => {
  const from = day - partsOf(day).weekday;
  return { from, to: from + 6 };
};
const weekend = (day: Day): Period => {
  const { from } = week(day);
  return { from: from + 5, to: from + 6 };
};

/** The day, week, month or year that is so many of them before another day. */
function before(today: Day, count: number, unit: string): Period {
  const { year: y, month } = partsOf(today);
  if (unit === 'week') return week(today - 7 * count);
  if (unit === 'weekend') return weekend(today - 7 * count);
  if (unit === 'month') return months(y, month - count);
  if (unit === 'year') return yearOf(y - count);
  return { from: today - count, to: today - count };
}

/** From so long before a day up to it. */
function lately(today: Day, count: number, unit: string): Period {
  const { year: y, month, day } = partsOf(today);
  const from = {
    day: today - count,
    week: today - 7 * count,
    month: dayOf(y, month - count, day),
    year: dayOf(y - count, month, day),
  };
  return { from: from[unit as keyof typeof from] ?? today - count, to: today };
}

type Rule = {
  pattern: RegExp;
  read: (groups: Record<string, string>, today: Day) => Omit<DateExpression, 'start' | 'end'> | null;
};

/** One meaning, which needs no more words unless said. */
const only = (period: Period, needs: DateExpression['needs'] = 'nothing'): Omit<DateExpression, 'start' | 'end'> => ({
  periods: [period],
  needs,
});

const rules: readonly Rule[] = [
  {
    pattern: pattern(String.raw`\b(?:the )?(?<part>first|second) half of (?<year>${year})\b`),
    read: ({ part, year: y }) => only(months(Number(y), part?.toLowerCase() === 'first' ? 1 : 7, 6)),
  },
  {
    pattern: pattern(
      String.raw`\b(?:q(?<number>[1-4])|(?:the )?(?<word>first|second|third|fourth|last) quarter)(?: of)? (?<year>${year})\b`,
    ),
    read: ({ number, word, year: y }) => {
      const place = number
        ? Number(number)
        : ['first', 'second', 'third', 'fourth'].indexOf(String(word).toLowerCase()) + 1 || 4;
      return only(months(Number(y), 3 * place - 2, 3));
    },
  },
  {
    // Of which months these are people differ.
    pattern: pattern(
      String.raw`\b(?:the )?(?<part>early|mid|late|beginning of|start of|middle of|end of)[ -](?<year>${year})\b`,
    ),
    read: ({ part = '', year: y }) =>
      only(months(Number(y), /^(?:early|beg|start)/i.test(part) ? 1 : /^mid/i.test(part) ? 5 : 9, 4), 'comparison'),
  },
  {
    pattern: pattern(String.raw`\b(?<season>${seasonNames}),?(?: of)? (?<year>${year})(?:[/-]\d{2,4})?\b`),
    read: ({ season = '', year: y }) => only(seasonOf(Number(y), season.toLowerCase() as keyof typeof seasons)),
  },
  {
    pattern: pattern(String.raw`\b(?<which>last|this|past|previous)(?: year['’]?s)? (?<season>${seasonNames})\b`),
    read: ({ which, season = '' }, today) =>
      only(
        latest(
          (y) => seasonOf(y, season.toLowerCase() as keyof typeof seasons),
          today,
          which?.toLowerCase() !== 'this',
        ),
      ),
  },
  {
    pattern: pattern(
      String.raw`\b(?<at>(?:at|on|over|for) )?(?<holiday>${holidayNames})(?: of| in)?,? (?<year>${year})\b`,
    ),
    // Without a word in front Christmas 2024 may as well be all of its days, or a thing of that year.
    read: ({ at, holiday = '', year: y }) =>
      only(
        oneDay(holidayOf(holiday)(Number(y))),
        at === undefined && !/\b(?:day|eve|sunday|monday|friday)\b/i.test(holiday) ? 'comparison' : 'nothing',
      ),
  },
  {
    pattern: pattern(
      String.raw`\b(?<last>last |this )?(?<holiday>${holidayNames})(?! (?:tree|market|cookie|present|lights|party|card|song|decoration|dinner)s?)`,
    ),
    read: ({ last, holiday = '' }, today) =>
      only(
        latest((y) => oneDay(holidayOf(holiday)(y)), today),
        last ? 'nothing' : 'comparison',
      ),
  },
  {
    pattern: pattern(String.raw`\b(?<which>last|this|past) (?<month>${monthNames})\b(?! ${year})`),
    read: ({ which, month = '' }, today) =>
      only(latest((y) => months(y, monthOf(month)), today, which?.toLowerCase() !== 'this')),
  },
  {
    pattern: pattern(String.raw`\b(?<month>${monthNames})\.?,?(?: of)? (?<year>${year})\b`),
    read: ({ month = '', year: y }) => only(months(Number(y), monthOf(month))),
  },
  {
    pattern: pattern(String.raw`\b(?<year>${year})-(?<month>0[1-9]|1[0-2])\b(?!-)`),
    read: ({ year: y, month }) => only(months(Number(y), Number(month))),
  },
  {
    pattern: pattern(String.raw`\bthe day before yesterday\b`),
    read: (_, today) => only(before(today, 2, 'day')),
  },
  {
    pattern: pattern(String.raw`\b(?:yesterday|last night(?! of\b))\b`),
    read: (_, today) => only(before(today, 1, 'day')),
  },
  {
    pattern: pattern(String.raw`\b(?:(?:earlier |later )?today|this morning|this afternoon|this evening)\b`),
    read: (_, today) => only(before(today, 0, 'day')),
  },
  {
    pattern: pattern(String.raw`\b(?:the )?(?<unit>${units}) before last\b`),
    read: ({ unit = '' }, today) => only(before(today, 2, unit.toLowerCase())),
  },
  {
    pattern: pattern(
      String.raw`\b(?:(?:earlier|later|sometime|back) )?(?<which>this past|this|last|past|previous|the current|the past) (?<unit>week|month|year|weekend)\b(?! of )`,
    ),
    read: ({ which = '', unit = '' }, today) => {
      const name = unit.toLowerCase();
      const isPast = /past$/i.test(which);
      if (isPast && name !== 'weekend') return only(lately(today, 1, name));
      // The next weekend is not recorded yet.
      const isThis = !isPast && /this|current/i.test(which) && !(name === 'weekend' && weekend(today).from > today);
      const isComplete = name === 'weekend' && weekend(today).to < today;
      return only(before(today, isThis || isComplete ? 0 : 1, name));
    },
  },
  {
    pattern: pattern(
      String.raw`\b(?:the )?(?:last|past|previous) (?<count>${numberSource}) (?<unit>day|week|month|year)s?\b`,
    ),
    read: ({ count = '', unit = '' }, today) => only(lately(today, toNumber(count), unit.toLowerCase())),
  },
  {
    // How many a few are people differ.
    pattern: pattern(
      String.raw`\b(?:the )?(?:last|past|previous) (?:(?<two>couple of)|few|several) (?<unit>day|week|month|year)s\b`,
    ),
    read: ({ two, unit = '' }, today) =>
      only(lately(today, two === undefined ? 3 : 2, unit.toLowerCase()), 'comparison'),
  },
  {
    pattern: pattern(String.raw`\b(?:the )?(?:last|past|previous) (?<count>${numberSource}) hours\b`),
    read: ({ count = '' }, today) => only(lately(today, Math.ceil(toNumber(count) / 24), 'day')),
  },
  {
    pattern: pattern(String.raw`\b(?<count>${numberSource}) (?<unit>day|week|month|year)s? ago\b`),
    read: ({ count = '', unit = '' }, today) => {
      const [name, back] = [unit.toLowerCase(), toNumber(count)];
      // Two years ago is a year, or the day before two years.
      const day = oneDay(lately(today, back, name).from);
      return { periods: name === 'day' ? [day] : [before(today, back, name), day], needs: 'nothing' };
    },
  },
  {
    pattern: pattern(
      String.raw`\b(?:(?:between|from) (?:the )?)?(?<first>\d{1,2})(?:st|nd|rd|th)?(?: (?:to|and|until|till) |\s*[-–—]\s*)(?<last>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${monthNames})\.?,?(?: (?<year>${year}))?\b`,
    ),
    read: readDayRange,
  },
  {
    pattern: pattern(
      String.raw`\b(?:(?:between|from) )?(?<month>${monthNames})\.? (?<first>\d{1,2})(?:st|nd|rd|th)?(?: (?:to|and|until|till) |\s*[-–—]\s*)(?<last>\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>${year}))?\b`,
    ),
    read: readDayRange,
  },
  {
    pattern: pattern(
      String.raw`(?<![\d.])(?<day>[1-9]|0[1-9]|[12]\d|3[01])\.(?<month>0?[1-9]|1[0-2])\.(?<year>${year})\b`,
    ),
    read: ({ day, month, year: y }) => only(oneDay(dayOf(Number(y), Number(month), Number(day)))),
  },
  {
    pattern: pattern(String.raw`(?<![\d./])(?<month>0?[1-9]|1[0-2])[/.](?<year>${year})\b`),
    read: ({ month, year: y }) => only(months(Number(y), Number(month))),
  },
  {
    pattern: pattern(String.raw`\bthe (?<name>noughties|nineties|eighties|seventies|sixties)\b`),
    read: ({ name = '' }) =>
      tenYears(
        { noughties: 2000, nineties: 1990, eighties: 1980, seventies: 1970, sixties: 1960 }[name.toLowerCase()] ?? 2000,
        true,
      ),
  },
  {
    pattern: pattern(
      String.raw`(?<=\b(?:older|newer|more recent) than )(?<count>${numberSource}) (?<unit>day|week|month|year)s?\b`,
    ),
    read: ({ count = '', unit = '' }, today) => only(oneDay(lately(today, toNumber(count), unit.toLowerCase()).from)),
  },
  {
    pattern: pattern(String.raw`\b(?:the )?(?<century>19|20)?['’]?(?<decade>\d)0['’]?s\b`),
    read: ({ century, decade }) => {
      const first = Number(`${century ?? (Number(decade) < 3 ? '20' : '19')}${decade}0`);
      // `the 80s` are a style as well.
      return tenYears(first, century === undefined);
    },
  },
  {
    pattern: pattern(String.raw`\b(?<first>${year})(?:\s*[-–—/]\s*| to )(?<last>${year})\b`),
    read: ({ first, last }) => only({ from: yearOf(Number(first)).from, to: yearOf(Number(last)).to }, 'preposition'),
  },
  {
    pattern: pattern(String.raw`\b(?:(?:the )?year )?(?<year>${year})\b(?!s|\/\d)`),
    read: ({ year: y }) => only(yearOf(Number(y)), Number(y) < firstLikelyYear ? 'comparison' : 'preposition'),
  },
  {
    pattern: pattern(String.raw`\b(?<month>${monthNames})\b`),
    read: ({ month = '' }, today) => ({
      ...only(
        latest((y) => months(y, monthOf(month)), today),
        'preposition',
      ),
      month: monthOf(month),
    }),
  },
];

/** Days of one month, from the first to the last of them. */
function readDayRange({ first, last, month = '', year: given }: Record<string, string | undefined>, today: Day) {
  const of = (y: number): Period => ({
    from: dayOf(y, monthOf(month), Number(first)),
    to: dayOf(y, monthOf(month), Number(last)),
  });
  return only(given === undefined ? latest(of, today) : of(Number(given)));
}

/** Ten years from one on. */
const tenYears = (first: number, isStyle: boolean) =>
  only(
    { from: dayOf(first, 1, 1), to: dayOf(first + 10, 1, 1) - 1 },
    isStyle && first < firstLikelyYear ? 'comparison' : 'preposition',
  );

const oneDay = (day: Day): Period => ({ from: day, to: day });

const holidayOf = (text: string): ((year: number) => Day) => {
  const found = holidays.find(({ name }) => pattern(`^(?:${name})$`, 'iu').test(text));
  if (!found) throw new Error(`${text} is no holiday`);
  return found.of;
};

/** A day that chrono read; undefined where it is no day of the calendar, as `at night` and `in May`. */
function dayOfComponents(components: ParsedComponents, text: string, today: Day): [Day, ...Day[]] | undefined {
  if (!components.isCertain('day') || !components.isCertain('month')) {
    if (!components.isCertain('weekday') || !/\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i.test(text))
      return undefined;
    const weekday = ((components.get('weekday') as number) + 6) % 7;
    const back = (partsOf(today).weekday - weekday + 7) % 7;
    return [today - (back === 0 && /\blast\b/i.test(text) ? 7 : back)];
  }
  const [y, month, day] = (['year', 'month', 'day'] as const).map((each) => components.get(each) as number) as [
    number,
    number,
    number,
  ];
  if (!components.isCertain('year')) return [latest((each) => oneDay(dayOf(each, month, day)), today).from];
  const numeric = /^\D*(\d{1,2})([./-])(\d{1,2})\2\d{2,4}$/.exec(text.trim());
  if (!numeric || month === day || day > 12) return [dayOf(y, month, day)];
  // chrono reads the month first, as in America; with dots between it is second everywhere.
  const [first, second] = [Number(numeric[1]), Number(numeric[3])];
  if (first > 12 || numeric[2] === '.') return [dayOf(y, second, first)];
  return second > 12 ? [dayOf(y, first, second)] : [dayOf(y, first, second), dayOf(y, second, first)];
}

const hasName = pattern(String.raw`\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:${monthNames})\b`, 'iu');

/** A unit that is shorter than a day; `1990s` are none. */
const clockUnit = /\b(?:hour|minute|second)s?\b|\d\s?(?<!\d{4})(?:hrs?|h|mins?|m|secs?|s)\b/i;

/** Days of the calendar: `12 May 2024`, `2024-05-12`, `on Monday`. */
function readDays(text: string, today: Day): DateExpression[] {
  // Without one of these there is none.
  if (!/\d|day\b/iu.test(text)) return [];
  const { year: y, month, day } = partsOf(today);
  const reference = new Date(y, month - 1, day, 12);
  return casual.parse(text, reference).flatMap(({ text: words, index, start, end }) => {
    // chrono reads the month first; those of a range with dots are read one by one, and of slashes nobody knows.
    if (end && /\d[./]\d/.test(words)) return [];
    const days = dayOfComponents(start, words, today);
    // Without a number, a weekday or a month it is for the rules: the last day of school is not yesterday.
    if (!hasName.test(words) || clockUnit.test(words)) return [];
    if (!days || days[0] > today || /ago\b/i.test(words)) return [];
    const last = end && dayOfComponents(end, words, today);
    const periods = days.map((from) => ({ from, to: last?.[0] ?? from })) as [Period, ...Period[]];
    const isWeekday = !start.isCertain('day');
    const hasPreposition = /^(?:on|last|this|past)\b/i.test(words);
    const needs = isWeekday && !hasPreposition ? ('preposition' as const) : ('nothing' as const);
    return [{ start: index, end: index + words.length, periods, needs }];
  });
}

/**
 * Finds what names days in a sentence: the longest at each place, in their order. Days that are still to come are none.
 * @param today the day on which it is asked
 */
export function readExpressions(text: string, today: Day): DateExpression[] {
  const found = [
    ...readDays(text, today),
    ...rules.flatMap(({ pattern: of, read }) =>
      [...text.matchAll(of)].flatMap((match): DateExpression[] => {
        const meant = read(match.groups ?? {}, today);
        if (!meant || meant.periods[0].from > today) return [];
        return [{ ...meant, start: match.index, end: match.index + match[0].length }];
      }),
    ),
  ].toSorted((a, b) => a.start - b.start || b.end - a.end);
  const chosen: DateExpression[] = [];
  for (const each of found.toSorted((a, b) => b.end - b.start - (a.end - a.start))) {
    if (chosen.every(({ start, end }) => each.end <= start || end <= each.start)) chosen.push(each);
  }
  return chosen.toSorted((a, b) => a.start - b.start);
}

import {
  add,
  type ConditionParameters,
  followsMedia,
  mediaNoun,
  pattern,
  photoNoun,
  precedesMedia,
  type Reading,
  taken,
  videoNoun,
} from './condition.ts';
import { numberSource, toNumber } from './numbers.ts';

/** Something that a pattern finds, and what it asks for; null: it asks for nothing after all. */
type Rule = {
  of: RegExp;
  read: (
    groups: Record<string, string | undefined>,
    beside: { before: string; after: string },
  ) => { parameters: ConditionParameters; certain?: boolean } | null;
};

/** Adds what rules find, the first ones first. */
function readBy(reading: Reading, field: 'rating' | 'duration' | 'orientation', rules: readonly Rule[]): void {
  for (const { of, read } of rules) {
    for (const match of reading.text.matchAll(of)) {
      const [start, end] = [match.index, match.index + match[0].length];
      // An earlier match may have taken it.
      if (reading.text.slice(start, end) !== match[0]) continue;
      if (reading.found.some((other) => start < other.end && other.start < end)) continue;
      const meant = read(match.groups ?? {}, { before: reading.text.slice(0, start), after: reading.text.slice(end) });
      if (meant) add(reading, { start, end, field, parameters: meant.parameters, certain: meant.certain ?? true });
    }
  }
}

const n = (name: string) => `(?<${name}>${numberSource})`;
const least = String.raw`at least|no less than|not less than|minimum(?: of)?|a minimum of|min\.?`;
const most = String.raw`at most|no more than|not more than|up to|maximum(?: of)?|a maximum of|max\.?`;
const above = 'more than|over|above|better than|greater than|higher than';
const below = 'less than|fewer than|under|below|worse than|lower than';
const rated = String.raw`(?:(?:that|which) (?:are |is )?)?(?:rated|with(?: a)?(?: rating(?: of)?)?|rating(?: of)?:?|having|that have) `;
const stars = String.raw`[ -]?(?:stars?|★)(?: or (?:more|better|higher|above|up)| and (?:up|above|more)| or (?:less|fewer|below|lower| under))?(?: rating| ratings)?`;

/** Stars, which are whole: more than three are four. */
function toStars(min: number | undefined, max: number | undefined): ConditionParameters | null {
  if ([min, max].some((each) => each !== undefined && (each > 5 || each < 0 || !Number.isInteger(each)))) return null;
  return { ...(min === undefined ? {} : { rating_min: min }), ...(max === undefined ? {} : { rating_max: max }) };
}

const toRating = (min: number | undefined, max: number | undefined, certain = true) => {
  const parameters = toStars(min, max);
  return parameters && { parameters, certain };
};

/** A number of stars that is only a bound. */
const compared = String.raw`(?:(?<least>${least})|(?<most>${most})|(?<above>${above})|(?<below>${below})) ${n('value')}`;

function readCompared(groups: Record<string, string | undefined>) {
  const value = number(groups['value']);
  if (groups['least'] !== undefined) return toRating(value, undefined);
  if (groups['most'] !== undefined) return toRating(undefined, value);
  return groups['above'] === undefined ? toRating(undefined, value - 1) : toRating(value + 1, undefined);
}

const number = (text: string | undefined): number => toNumber(text ?? '');

/** Whether there is nothing but signs beside it. */
const standsAlone = ({ before, after }: { before: string; after: string }): boolean =>
  new RegExp(String.raw`(?:^|[,;${taken}])\s*$`, 'u').test(before) &&
  new RegExp(String.raw`^\s*(?:$|[,;.${taken}])`, 'u').test(after);

const ratingRules: readonly Rule[] = [
  {
    of: pattern(
      String.raw`\b(?:(?<most>max(?:imum)?|highest)|min(?:imum)?|lowest) rating(?: of|:| is)? ${n('value')}(?:[ -]?stars?)?\b`,
    ),
    read: ({ most: isMost, value }) =>
      isMost === undefined ? toRating(number(value), undefined) : toRating(undefined, number(value)),
  },
  {
    of: pattern(
      String.raw`(?:${rated})?\b${n('value')}(?:[ -]?stars?)?(?: out of |\/)(?:5|five)(?<stars>[ -]?stars?)?\b`,
    ),
    read: ({ value, stars: of }, beside) =>
      toRating(number(value), number(value), of !== undefined || standsAlone(beside)),
  },
  {
    of: pattern(String.raw`\b(?:(?:that|which) (?:are|is) )?(?:rated|rating:?) ${compared}\b(?![ -]?(?:stars?|★))`),
    read: readCompared,
  },
  {
    of: pattern(
      String.raw`\b(?:(?:that|which) (?:are|is) )?(?:unrated|un-rated|not (?:yet )?rated(?: yet)?|never rated|(?:that )?(?:ha(?:s|ve)(?:n['’]t| not)) (?:yet )?been rated(?: yet)?|(?:that )?(?:is|are|was|were)n['’]t rated(?: yet)?|(?:that )?(?:do|does|ha)(?:n['’]t|ven['’]t|sn['’]t) (?:have |got )?(?:any |a )?(?:stars?|ratings?)(?: yet)?|(?:without|with no|has no|have no)(?: any| a)? (?:(?<sky>stars?)|ratings?)|no (?:rating|(?<night>stars))(?: yet)?)\b`,
    ),
    // A night without stars has none in the sky.
    read: ({ sky, night }, beside) =>
      toRating(undefined, 0, (sky ?? night) === undefined || standsAlone(beside) || followsMedia(beside.before)),
  },
  {
    of: pattern(
      String.raw`(?<rated>${rated})?(?:between |from )?\b${n('min')}(?: stars?)?(?:\s*[-–]\s*| to | and |(?<or> or ))${n('max')}(?<stars>${stars})?`,
    ),
    // One or five stars are no range.
    read: ({ rated: isRated, stars: of, min, max, or }) => {
      if (of === undefined && !/rat(?:ed|ing)/iu.test(isRated ?? '')) return null;
      return or === undefined || number(max) === number(min) + 1 ? toRating(number(min), number(max)) : null;
    },
  },
  {
    of: pattern(String.raw`(?:${rated})?\b${compared}${stars}`),
    read: readCompared,
  },
  {
    of: pattern(
      String.raw`(?:(?<rated>${rated}))?\b${n('value')}(?:[ -]?(?<unit>stars?|★))?(?:\+| (?:or|and) (?:(?<up>more|better|higher|above|up)|(?<down>less|fewer|below|lower|worse|under)))(?:[ -]?(?<unitBehind>stars?|★))?(?: ratings?)?`,
    ),
    read: ({ rated: isRated, value, unit: inFront, unitBehind, down }) => {
      if (isRated === undefined && inFront === undefined && unitBehind === undefined) return null;
      return down === undefined ? toRating(number(value), undefined) : toRating(undefined, number(value));
    },
  },
  {
    of: pattern(
      String.raw`\b(?:rated|rating(?: of)?:?|a rating of) ${n('value')}(?<more>\+)?(?:[ -]?stars?)?(?: out of (?:5|five)|\/5)?\b`,
    ),
    read: ({ value, more }) => toRating(number(value), more === undefined ? number(value) : undefined),
  },
  {
    of: pattern(
      String.raw`(?:${rated})?\b${n('value')}[ -]?(?:stars?|★) (?:(?<max>at most|max(?:imum)?|tops)|(?<min>at least|min(?:imum)?))\b`,
    ),
    read: ({ value, max }) =>
      max === undefined ? toRating(number(value), undefined) : toRating(undefined, number(value)),
  },
  {
    // From how many stars on people differ.
    of: pattern(String.raw`\b(?:top|best|highest)[ -]rated\b`),
    read: () => toRating(4, undefined, false),
  },
  {
    of: pattern(
      String.raw`(?:\bwith )?\b(?:(?:exactly|precisely|only|just) )?${n('value')}[ -]?(?:stars?|★)(?: (?:exactly|only))?(?: rating| ratings)?`,
    ),
    read: (groups, { before, after }) => {
      const value = number(groups['value']);
      const isAttached =
        precedesMedia(after) ||
        (followsMedia(before) &&
          new RegExp(String.raw`^\s*(?:$|[,;.${taken}]|(?:of|in|from|by|with) )`, 'u').test(after));
      return toRating(value, value, isAttached || standsAlone({ before, after }) || /rating/i.test(after.slice(0, 8)));
    },
  },
];

const unitSeconds: readonly [RegExp, number][] = [
  [/^h/i, 3600],
  [/^m/i, 60],
  [/^s/i, 1],
];
const unit = (name: string) => String.raw`(?<${name}>hours?|hrs?|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)`;
const toSeconds = (value: string | undefined, name: string | undefined): number =>
  number(value) * (unitSeconds.find(([of]) => of.test(name ?? ''))?.[1] ?? 1);

/** A length such as `2 minutes`, `half an hour`, `1:30`, `1 min 30 s`. Its groups end with a number. */
const length = (i: number) =>
  String.raw`(?!a[hms]\b)(?:(?<half${i}>half an? )${unit(`halfUnit${i}`)}|(?<clock${i}>\d{1,2}:\d\d)|${n(`value${i}`)}(?<andHalf${i}> and a half)?[ -]?${unit(`unit${i}`)}(?:(?: and)? ?${n(`more${i}`)} ?${unit(`moreUnit${i}`)})?(?<halfMore${i}> and a half)?)\b`;

function lengthOf(groups: Record<string, string | undefined>, i: number): number {
  const of = (name: string) => groups[`${name}${i}`];
  if (of('half') !== undefined) return toSeconds('1', of('halfUnit')) / 2;
  const clock = of('clock');
  if (clock !== undefined) {
    const [minutes, seconds] = clock.split(':').map(Number) as [number, number];
    return 60 * minutes + seconds;
  }
  const half = (of('andHalf') ?? of('halfMore')) ? toSeconds('1', of('unit')) / 2 : 0;
  const more = of('more') === undefined ? 0 : toSeconds(of('more'), of('moreUnit'));
  return toSeconds(of('value'), of('unit')) + half + more;
}

const ofLength = String.raw`(?:(?:that|which) )?(?:(?:are|is|last|lasts|lasting|run|runs|running|of|with a (?:length|duration|running time) of|with a (?:length|duration)) )?`;
const long = '(?: (?:long|in length|of length|in duration|duration)\\b)?';
const longer = `longer than|more than|over|above|exceeding|${least}|not shorter than|no shorter than`;
const shorter = `shorter than|less than|under|below|fewer than|within|${most}|not longer than|no longer than`;

/** A length that is said exactly holds to the nearest second: films are seldom so many seconds to the fraction. */
const exactly = (seconds: number): ConditionParameters => ({
  duration_min: seconds - 0.5,
  duration_max: seconds + 0.5,
});

/** What says how long something that is shown takes, such as “in under ten seconds”, or when it was, as in “over a year ago”. */
const isContent = ({ before, after }: { before: string; after: string }): boolean =>
  /\b(?:in|for|after|within|every) $/iu.test(before) ||
  /^ (?:ago|later|old|late|early|left|remaining|to go|underwater|straight|delay(?:ed)?|in the|flight|ride|hike|trip|walk|drive|away|before|run|race|timer|countdown|workout)\b/iu.test(
    after,
  );

/** A noun for videos or photos, with nothing behind it but conditions. */
const isBehindNoun = new RegExp(String.raw`(?:^|[\s,${taken}])(?:${mediaNoun})[\s,${taken}]*$`, 'iu');

const lengthRules: readonly Rule[] = [
  {
    of: pattern(
      String.raw`\b${ofLength}(?:(?:between|from) )?(?:${length(1)}|${n('bare')})(?: and | to |\s*[-–]\s*)${length(2)}${long}`,
    ),
    read: (groups, beside) => {
      const max = lengthOf(groups, 2);
      const min = groups['bare'] === undefined ? lengthOf(groups, 1) : toSeconds(groups['bare'], groups['unit2']);
      return min >= max ? null : { parameters: { duration_min: min, duration_max: max }, certain: !isContent(beside) };
    },
  },
  {
    of: pattern(String.raw`\b${ofLength}(?:(?<longer>${longer})|(?<shorter>${shorter})) ${length(1)}${long}`),
    read: (groups, beside) => {
      const seconds = lengthOf(groups, 1);
      const parameters: ConditionParameters =
        groups['longer'] === undefined ? { duration_max: seconds } : { duration_min: seconds };
      // What happens within 30 seconds may be in a long video.
      const isOfItem = groups['shorter']?.toLowerCase() !== 'within' || isBehindNoun.test(beside.before);
      return { parameters, certain: isOfItem && !isContent(beside) };
    },
  },
  {
    of: pattern(String.raw`\b${ofLength}${length(1)} (?:or (?<longer>longer|more)|or (?<shorter>shorter|less))`),
    read: (groups) => ({
      parameters:
        groups['longer'] === undefined ? { duration_max: lengthOf(groups, 1) } : { duration_min: lengthOf(groups, 1) },
    }),
  },
  {
    of: pattern(
      String.raw`\b${ofLength}${length(1)}${long},? (?:(?<most>at (?:the )?most|max(?:imum)?|tops|and under|or under|and less)|at (?:the very )?least|min(?:imum)?|and (?:up|over|longer|more)|or (?:up|over)|plus)(?= ?(?:$|[,;.)${taken}]|(?:of|in|with|from|by)\b))`,
    ),
    read: (groups, beside) => ({
      parameters:
        groups['most'] === undefined ? { duration_min: lengthOf(groups, 1) } : { duration_max: lengthOf(groups, 1) },
      certain: !isContent(beside),
    }),
  },
  {
    of: pattern(String.raw`\b${n('value')}\+[ -]?${unit('unit')}\b${long}`),
    read: ({ value, unit: name }, beside) => ({
      parameters: { duration_min: toSeconds(value, name) },
      certain: !isContent(beside),
    }),
  },
  {
    of: pattern(String.raw`\b(?:an? )?(?<unit>hour|minute)[ -]long (?=(?:${mediaNoun})\b)`),
    read: ({ unit: name }) => ({ parameters: exactly(toSeconds('1', name)) }),
  },
  {
    of: pattern(
      String.raw`\b${ofLength}(?<exactly>(?:exactly|precisely) )?${length(1)}(?<long> (?:long|in length|in duration)\b)?(?: (?=(?:${mediaNoun})\b))?`,
    ),
    read: (groups, beside) => {
      const { before, after } = beside;
      const isOfMedia = new RegExp(`^(?:${mediaNoun})\\b`, 'iu').test(after);
      const isSaid = groups['long'] !== undefined || groups['exactly'] !== undefined;
      if (!isOfMedia && !(isSaid && (followsMedia(before) || standsAlone(beside)))) return null;
      return { parameters: exactly(lengthOf(groups, 1)) };
    },
  },
];

const orientations = {
  portrait: String.raw`vertical|portrait|upright|9[:x]16`,
  landscape: String.raw`horizontal|landscape|widescreen|wide-screen|16[:x]9`,
  square: String.raw`square|1[:x]1`,
};

const orientationRules = Object.entries(orientations).flatMap(([orientation, words]): Rule[] => {
  const parameters = { orientation };
  return [
    {
      of: pattern(
        String.raw`(?:\b(?:in|with|of|as) (?:an? |the )?)?(?:\b(?:${words}))(?:[ -](?:format|orientation|orientated|oriented|mode|aspect(?: ratio)?|ratio|crop))\b`,
      ),
      read: () => ({ parameters }),
    },
    {
      of: pattern(
        String.raw`\b(?:(?:that|which) (?:was|were|are|is) )?(?:shot|filmed|recorded|taken|framed) (?:${orientation === 'portrait' ? 'vertically|upright' : orientation === 'landscape' ? 'horizontally|sideways' : 'square'}|in (?:${words}))\b`,
      ),
      read: () => ({ parameters }),
    },
    {
      of: pattern(
        orientation === 'square'
          ? String.raw`\bsquare (?=(?:ones?|version|shots?|crop|cut|edit)\b)`
          : String.raw`\b(?:${words.replace('portrait|', '').replace('landscape|', '')}) (?=(?:[^\s,;]+ ){0,2}(?:${mediaNoun}|ones?|version|shots?|cut|edit)\b)`,
      ),
      read: () => ({ parameters }),
    },
    {
      // A portrait is a picture of a face as well, and a landscape what is shown.
      of: pattern(String.raw`\b(?<word>${words}) (?=(?:(?<video>${videoNoun})|${photoNoun}|shots)\b)`),
      read: ({ word, video }) => ({
        parameters,
        certain:
          word === undefined ||
          !/^(?:portrait|landscape)$/iu.test(word) ||
          (video !== undefined && orientation === 'portrait'),
      }),
    },
    {
      of: pattern(
        String.raw`(?<=(?:^|[,;.(]) ?)(?:in (?:${words})|(?<genre>portrait|landscape)(?<=${orientation})|(?:${words}))(?=(?: please| only)? ?(?:$|[,;:.!?)])| and (?:${taken}|(?:from|in|by|at|with|tagged|shot|taken)\b))|(?<=[${taken}] )in (?:${words})(?= ?(?:$|[,;${taken}]))`,
      ),
      read: ({ genre }) => ({ parameters, certain: genre === undefined }),
    },
  ];
});

/** Takes out how an item is rated, how long it is, and which form it has. */
export function readProperties(reading: Reading): void {
  readBy(reading, 'rating', ratingRules);
  readBy(reading, 'duration', lengthRules);
  readBy(reading, 'orientation', orientationRules);
}

/** Steps that follow each other in an item, at most. */
export const maxSteps = 3;

/** Descriptions of an expression at most: each is embedded and ranked. */
export const maxParts = 8;

/** Seconds between two steps, unless an expression says otherwise. */
const usualWithin = 30;

/** Seconds that an expression may leave between two steps. */
const mostWithin = 3600;

/** What must be in one moment: descriptions in words, as `parseTextQuery` takes them. */
export type Conjunction = string[];

/**
 * What a hit has to show. A query without operators is one step with one alternative of one part.
 */
export type Expression = {
  /** What follows each other in an item, one step to three. Of each step one alternative, which holds all of its parts, is enough. */
  steps: Conjunction[][];
  /** Seconds that may lie between two steps. */
  within: number;
  /** Whether there were more steps or parts than a search takes; the last ones are left out. */
  isCut: boolean;
};

/** Parameters that say what the grammar says in words. */
export type ExpressionParameters = {
  /** Parts that each alternative of the first step must hold as well. */
  and?: string[] | undefined;
  /** Further alternatives of the first step. */
  or?: string[] | undefined;
  /** Further steps; each may hold `and` and `or` in the grammar. */
  then?: string[] | undefined;
  within?: number | undefined;
  /** An image that the first step is to be like besides: then there is such a step, also without words. */
  like?: string | undefined;
};

/**
 * The expression of a query and its parameters.
 * @param asWritten whether words such as “and” in the query are words like others
 */
export function toExpression(
  query: string,
  { and = [], or = [], then = [], within, like }: ExpressionParameters = {},
  asWritten = false,
): Expression {
  const parse = (text: string) => (asWritten ? null : parseExpression(text)) ?? plain(text);
  const written = parse(query);
  const [first = [], ...further] = written.steps;
  const alternatives = [...first.map((parts) => [...parts, ...and]), ...or.map((part) => [part])];
  const steps = [alternatives, ...further, ...then.flatMap((step) => parse(step).steps)];
  const cut = cutSteps(steps);
  if (like !== undefined && alternatives.flat().length === 0) cut.steps = [[[]], ...cut.steps].slice(0, maxSteps);
  return { ...cut, within: within ?? written.within, isCut: written.isCut || cut.isCut };
}

/** A description alone, or none. */
const plain = (query: string): Expression => ({
  steps: [[query === '' ? [] : [query]]],
  within: usualWithin,
  isCut: false,
});

/** Whether an expression is no more than a description. */
export const isPlain = ({ steps }: Expression): boolean => steps.flat(2).length <= 1;

/** The description that a plain expression is; empty where it has none. */
export const descriptionOf = ({ steps }: Expression): string => steps.flat(2)[0] ?? '';

/**
 * An expression as it is written: "a dog" and "snow", "a dog" or "a cat", "a dog" then "a man" within 30 s. `AND`, `OR` and `THEN` in capitals also stand
 * between words without quotation marks, in a query that is not in capitals as a whole. `and` binds before `or`, `or` before `then`. Null where
 * a query is no expression: without operators, or where one has nothing to its left or right.
 */
export function parseExpression(query: string): Expression | null {
  const { text, within } = takeWithin(query);
  const timed = within === null ? null : parseSteps(text);
  // Seconds say nothing of one step, so there they are part of what is described.
  const isTimed = timed !== null && timed.length > 1;
  const steps = isTimed ? timed : parseSteps(query);
  return steps && { ...cutSteps(steps), within: (isTimed && within) || usualWithin };
}

/** Where a query says how many seconds may lie between its steps, which it does right behind them; null where it has no steps or does not say it. */
export function findWithin(query: string): { start: number; end: number } | null {
  for (const { index, 0: text } of query.matchAll(saysWithin)) {
    if ((parseSteps(query.slice(0, index))?.length ?? 0) > 1) return { start: index, end: index + text.length };
  }
  return null;
}

function parseSteps(text: string): Conjunction[][] | null {
  const { pieces, areQuoted } = splitAtOperators(text);
  const parts = pieces.map(({ operator, part }) => ({
    operator,
    part: areQuoted ? withoutMarks(part) : unquote(part),
  }));
  if (parts.length === 1 || parts.some(({ part }) => part === '')) return null;
  const steps: Conjunction[][] = [[[]]];
  for (const { operator, part } of parts) {
    if (operator === 'then') steps.push([[]]);
    else if (operator === 'or') steps.at(-1)?.push([]);
    steps.at(-1)?.at(-1)?.push(part);
  }
  return steps;
}

type Operator = 'and' | 'or' | 'then';
/** What stands between two operators, and the one before it; null at the beginning. */
type Piece = { operator: Operator | null; part: string };

const quote = '["“”„]';
const operatorPattern = new RegExp(
  String.raw`(?<quoted>${quote}[^"“”„]+${quote})|(?<=\s|${quote}|^)(?<word>and|or|then)(?=\s|${quote}|$)`,
  'giu',
);

/** `areQuoted`: an operator stands between quotation marks, which say what belongs together then. */
function splitAtOperators(text: string): { pieces: Piece[]; areQuoted: boolean } {
  let areQuoted = false;
  const pieces: Piece[] = [{ operator: null, part: '' }];
  const allCapitals = isInCapitals(text);
  let begin = 0;
  for (const match of text.matchAll(operatorPattern)) {
    const word = match.groups?.['word'];
    if (word === undefined) continue;
    const end = match.index + word.length;
    const isBetweenQuotes = endsQuoted.test(text.slice(0, match.index)) && beginsQuoted.test(text.slice(end));
    const isCapital = word === word.toUpperCase() && !allCapitals;
    if (!isBetweenQuotes && !isCapital) continue;
    areQuoted ||= isBetweenQuotes;
    (pieces.at(-1) as Piece).part = text.slice(begin, match.index).trim();
    pieces.push({ operator: word.toLowerCase() as Operator, part: '' });
    begin = end;
  }
  (pieces.at(-1) as Piece).part = text.slice(begin).trim();
  return { pieces, areQuoted };
}

const endsQuoted = new RegExp(String.raw`${quote}\s*$`, 'u');
const beginsQuoted = new RegExp(String.raw`^\s*${quote}`, 'u');

/** Whether somebody types in capitals, so that they say nothing of operators. */
function isInCapitals(text: string): boolean {
  const words = text.replaceAll(operatorPattern, ' ');
  return words !== words.toLowerCase() && words === words.toUpperCase();
}

/** A part in quotation marks as a whole is what is between them; others are descriptions with the signs that they hold. */
const unquote = (part: string): string =>
  new RegExp(String.raw`^${quote}([^"“”„]+)${quote}$`, 'u').exec(part)?.[1]?.trim() ?? part;

/** A part without its quotation marks, but for those of exclusions. */
const withoutMarks = (part: string): string =>
  part.replaceAll(new RegExp(String.raw`(?<!-)${quote}([^"“”„]*)${quote}`, 'gu'), '$1').trim();

const withinUnit = 's|secs?|seconds?|m|mins?|minutes?';
const withinPattern = new RegExp(
  String.raw`,?\s+within\s+(?:(?<count>\d+)\s*|(?:an?|one)\s+)(?<unit>${withinUnit})\.?\s*$`,
  'iu',
);
/** The same with any number and anywhere, such as “within thirty seconds”: there it is no time of anything else. */
const saysWithin = new RegExp(
  String.raw`(?<=\s)within\s+(?:\d[\d.,:]*\s*|(?:[\p{L}\d.,-]+\s+){1,3}?)(?:${withinUnit}|h|hrs?|hours?)(?![\p{L}\d])`,
  'giu',
);

/** Takes the seconds between steps from the end of a query. */
function takeWithin(query: string): { text: string; within: number | null } {
  const match = withinPattern.exec(query);
  if (!match) return { text: query, within: null };
  const { count = '1', unit = '' } = match.groups ?? {};
  const seconds = Number(count) * (/^m/i.test(unit) ? 60 : 1);
  return { text: query.slice(0, match.index), within: Math.min(mostWithin, Math.max(1, seconds)) };
}

/** As many steps and parts as a search takes, the first ones. */
function cutSteps(steps: Conjunction[][]): Pick<Expression, 'steps' | 'isCut'> {
  let left = maxParts;
  const take = (parts: Conjunction): Conjunction => {
    const taken = parts.slice(0, left);
    left -= taken.length;
    return taken;
  };
  const kept = steps
    .slice(0, maxSteps)
    .map((alternatives) => alternatives.map(take).filter(({ length }) => length > 0))
    .filter(({ length }) => length > 0);
  return { steps: kept, isCut: kept.flat(2).length < steps.flat(2).length };
}

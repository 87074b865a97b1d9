import type { SearchMediaResponse } from '../../api/generated/api/index.ts';

/** How the service understood a query that joins several descriptions. */
export type Expression = NonNullable<SearchMediaResponse['meta']['expression']>;

/** How a description is joined with what is there: in the same moment, in its place, after it, or as what is not to be there. */
export type Joint = 'and' | 'or' | 'then' | 'without';

/**
 * An expression as the search field takes it: descriptions in quotation marks, or, where one holds such marks itself, between operators in capitals. One description alone
 * is no expression.
 */
export function writeExpression({ steps, within }: Expression): string {
  const parts = steps.flat(2);
  if (parts.length === 1) return parts[0] ?? '';
  const quotes = !parts.some((part) => /["“”„]/u.test(part));
  const written = (part: string) => (quotes ? `"${part}"` : part);
  const operator = (word: string) => ` ${quotes ? word : word.toUpperCase()} `;
  const text = steps
    .map((step) => step.map((all) => all.map(written).join(operator('and'))).join(operator('or')))
    .join(operator('then'));
  return steps.length === 1 || within === undefined || within === usualWithin ? text : `${text} within ${within} s`;
}

/** Seconds between steps that need no word. */
const usualWithin = 30;

/**
 * A query with one more description.
 * @param expression how the service understood the query; undefined for one description
 */
export function joinTo(query: string, expression: Expression | undefined, joint: Joint, words: string): string {
  const { steps, within = usualWithin } = expression ?? { steps: [[[query]]] };
  if (joint === 'then') return writeExpression({ steps: [...steps, [[words]]], within });
  if (joint === 'without') {
    const excluded = /^\S+$/.test(words) ? ` -${words}` : ` without ${words}`;
    return writeExpression({ steps: mapParts(steps, (part) => part + excluded), within });
  }
  const last = steps.at(-1) ?? [];
  const step = joint === 'or' ? [...last, [words]] : last.map((all) => [...all, words]);
  return writeExpression({ steps: [...steps.slice(0, -1), step], within });
}

const mapParts = (steps: Expression['steps'], change: (part: string) => string): Expression['steps'] =>
  steps.map((step) => step.map((all) => all.map(change)));

/** An expression without one of its descriptions, by its place among all. */
export function takeFrom({ steps, within }: Expression, place: number): string {
  let i = 0;
  const left = steps
    .map((step) => step.map((all) => all.filter(() => i++ !== place)).filter(({ length }) => length > 0))
    .filter(({ length }) => length > 0);
  return writeExpression({ steps: left, ...(within === undefined ? {} : { within }) });
}

/** The descriptions of an expression in their order, each with what joins it to the one before; `key` tells equal ones apart. */
export const listParts = ({ steps }: Expression): { key: string; part: string; joint: Joint | null }[] =>
  steps.flatMap((step, s) =>
    step.flatMap((all, a) =>
      all.map((part, p) => ({
        key: `${s} ${a} ${p} ${part}`,
        part,
        joint: p > 0 ? ('and' as const) : a > 0 ? ('or' as const) : s > 0 ? ('then' as const) : null,
      })),
    ),
  );

import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

/** A stream that output goes to, as far as its looks depend on it. */
type Stream = { isTTY?: boolean; columns?: number };

/**
 * Whether output to a stream has colours: on a terminal, unless `NO_COLOR` says no (https://no-color.org) or `FORCE_COLOR` says otherwise, as
 * in Node: `0` and `false` say no, everything else yes.
 */
export function hasColours(stream: Stream, env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return stream.isTTY === true && terminal !== 'dumb';
}

/** The paint for such output. Node's own check of streams looks at the surroundings of the process, not at those that are given. */
export const createPaint =
  (coloured: boolean): Paint =>
  (style, text) =>
    coloured ? styleText(style, text, { validateStream: false }) : text;

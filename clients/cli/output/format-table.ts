import Table from 'cli-table3';
import { escapeText } from './escape-text.ts';

/** A column of a table. */
export type Column<Row> = {
  /** Its heading on a terminal. */
  name: string;
  /** What a script reads. */
  value: (row: Row) => string | number | null;
  /** What people read, where that differs. */
  shown?: (row: Row) => string;
  align?: 'right';
  /** Where it is left out: scripts read some things in pieces. */
  only?: 'people' | 'scripts';
  /** Is cut, with `…`, where the terminal is too narrow. One column of a table at most. */
  flexible?: true;
  /** Is left out where the terminal is too narrow for all. */
  spare?: true;
  /** Stands on a line of its own below its row where the terminal is too narrow for it: an address that is cut leads nowhere. */
  below?: true;
  /** Colours a cell, already escaped. */
  paint?: (text: string, row: Row) => string;
};

/** A column is not made narrower than this, whatever the terminal. */
const minFlexibleWidth = 16;

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};

/** Rows for scripts: values with tabs in between, without a heading. Null is empty; tabs and line ends within a value are written as `\t` and `\n`. */
export const formatForScripts = <Row>(columns: Column<Row>[], rows: Row[]): string =>
  rows
    .map(
      (row) =>
        `${columns
          .filter(({ only }) => only !== 'people')
          .map(({ value }) => escapeText(String(value(row) ?? '')))
          .join('\t')}\n`,
    )
    .join('');

/**
 * Rows for people, with a heading.
 * @param width columns of the terminal; wide characters (東) take two
 * @param paintHeading colours a heading
 */
export function formatForPeople<Row>(
  all: Column<Row>[],
  rows: Row[],
  width: number,
  paintHeading: (text: string) => string,
): string {
  const write = ({ value, shown, paint }: Column<Row>, row: Row) => {
    const text = escapeText(shown ? shown(row) : String(value(row) ?? ''));
    return paint && text !== '' ? paint(text, row) : text;
  };
  const draw = (chosen: Column<Row>[], flexibleWidth: number | null) => {
    const table = new Table({
      chars: noBorders,
      style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
      head: chosen.map(({ name }) => paintHeading(name)),
      colAligns: chosen.map(({ align }) => align ?? 'left'),
      colWidths: chosen.map(({ flexible }) => (flexible ? flexibleWidth : null)),
    });
    table.push(...rows.map((row) => chosen.map((column) => write(column, row))));
    return table;
  };
  const toLines = (table: { toString(): string }) =>
    table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd());
  const isEmpty = (column: Column<Row>) => rows.every((row) => write(column, row) === '');
  const columns = all.filter((column) => column.only !== 'scripts' && !(column.below && isEmpty(column)));
  const wide = draw(columns, null);
  // The last column ends with its padding, which need not fit.
  if (wide.width - 2 <= width) return `${toLines(wide).join('\n')}\n`;
  const fits = (chosen: Column<Row>[]) => draw(chosen, null).width - 2 <= width;
  const upper = columns.filter(({ below }) => !below);
  const beside = fits(upper) ? upper : upper.filter(({ spare }) => !spare);
  const fixed = draw(
    beside.filter(({ flexible }) => !flexible),
    null,
  ).width;
  const lines = toLines(draw(beside, fits(beside) ? null : Math.max(minFlexibleWidth, width + 2 - fixed)));
  const lower = columns.find(({ below }) => below);
  if (lower === undefined) return `${lines.join('\n')}\n`;
  const below = ['', ...rows.map((row) => write(lower, row))];
  return lines.map((line, i) => `${line}\n${below[i] ? `  ${below[i]}\n` : ''}`).join('');
}

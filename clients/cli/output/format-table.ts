import { stripVTControlCharacters } from 'node:util';
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
const minFlexibleWidth = 12;

/** Spaces between two columns. */
const columnGap = 2;

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

/** What people read of a cell. */
function writeCell<Row>({ value, shown, paint }: Column<Row>, row: Row): string {
  const text = escapeText(shown ? shown(row) : String(value(row) ?? ''));
  return paint && text !== '' ? paint(text, row) : text;
}

/** A table without lines. @param flexibleWidth of the flexible column; null: what its longest cell takes */
function drawTable<Row>(
  columns: Column<Row>[],
  rows: Row[],
  flexibleWidth: number | null,
  paintHeading: (text: string) => string,
): { lines: string[]; width: number } {
  const table = new Table({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': columnGap, head: [], border: [], compact: true },
    head: columns.map(({ name }) => paintHeading(name)),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: columns.map(({ flexible }) => (flexible ? flexibleWidth : null)),
  });
  table.push(...rows.map((row) => columns.map((column) => writeCell(column, row))));
  const lines = table.toString().split('\n');
  // The table's own width counts colours. The last column ends with its padding, which need not fit.
  const width = stripVTControlCharacters(lines[0] ?? '').length - columnGap;
  return { lines: lines.map((line) => line.trimEnd()), width };
}

/**
 * Rows for people, with a heading; on a terminal that is too narrow for columns a field a line.
 * @param width columns of the terminal; wide characters (東) take two
 * @param paintHeading colours a heading
 */
export function formatForPeople<Row>(
  all: Column<Row>[],
  rows: Row[],
  width: number,
  paintHeading: (text: string) => string,
): string {
  const draw = (chosen: Column<Row>[], flexibleWidth: number | null = null) =>
    drawTable(chosen, rows, flexibleWidth, paintHeading);
  const isEmpty = (column: Column<Row>) => rows.every((row) => writeCell(column, row) === '');
  const columns = all.filter((column) => column.only !== 'scripts' && !(column.below && isEmpty(column)));
  const wide = draw(columns);
  if (wide.width <= width) return `${wide.lines.join('\n')}\n`;
  const upper = columns.filter(({ below }) => !below);
  const beside = draw(upper).width <= width ? upper : upper.filter(({ spare }) => !spare);
  let table = draw(beside);
  if (table.width > width) {
    const fixed = draw(beside.filter(({ flexible }) => !flexible)).width + columnGap;
    table = draw(beside, Math.max(minFlexibleWidth, width - fixed) + columnGap);
  }
  if (table.width > width) return formatFields(columns, rows, paintHeading);
  const lower = columns.find(({ below }) => below);
  if (lower === undefined) return `${table.lines.join('\n')}\n`;
  const below = ['', ...rows.map((row) => writeCell(lower, row))];
  return table.lines.map((line, i) => `${line}\n${below[i] ? `  ${below[i]}\n` : ''}`).join('');
}

/** A field a line, with an empty line between two rows. Fields without a value are left out. */
function formatFields<Row>(columns: Column<Row>[], rows: Row[], paintHeading: (text: string) => string): string {
  const longest = Math.max(...columns.map(({ name }) => name.length));
  const blocks = rows.map((row) =>
    columns
      .map((column) => ({ name: column.name.padEnd(longest), text: writeCell(column, row) }))
      .filter(({ text }) => text !== '')
      .map(({ name, text }) => `${paintHeading(name)}  ${text}\n`)
      .join(''),
  );
  return blocks.join('\n');
}

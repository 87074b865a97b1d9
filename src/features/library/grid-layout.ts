import { justifyRows, shownRatio } from '../../lib/justified-rows.ts';

/** Items that stand together in a grid. */
export type GridSection = {
  /** Stands above them; undefined: they have none. */
  heading: string | undefined;
  /** What several sections have in common, such as their year. */
  mark?: string | undefined;
  count: number;
};

/** A row of a grid: the heading of a section, or items from a position on. Lengths are pixels, `top` from that of the grid. */
export type GridRow = { section: number; top: number; height: number } & (
  | { kind: 'heading' }
  | { kind: 'items'; first: number; count: number; lefts: readonly number[]; widths: readonly number[] }
);

type ItemsRow = Extract<GridRow, { kind: 'items' }>;

/** Where every item stands. Rows are numbered from the top. */
export type GridLayout = {
  /** How many items. */
  total: number;
  height: number;
  rowCount: number;
  sections: readonly GridSection[];
  rowAt: (row: number) => GridRow | undefined;
  /** The last row that begins at a distance from the top of the grid, or before it. */
  rowAtOffset: (offset: number) => number;
  /** The row of a position. */
  rowOf: (position: number) => number;
  /** The row in which a section begins. */
  rowOfSection: (section: number) => number;
  /** The first position of a section. */
  firstOf: (section: number) => number;
};

/** Height of a section's heading with the space around it, pixels. */
export const headingHeight = 44;

type Measures = { width: number; target: number; gap: number };

/**
 * Lays pictures out in justified rows, in sections that follow each other: a section begins in a row of its own, after its heading.
 * @param sections in order; empty ones have no row
 * @param ratios width through height of each picture
 */
export function createJustifiedLayout(
  sections: readonly GridSection[],
  ratios: Float32Array,
  { width, target, gap }: Measures,
): GridLayout {
  const rows: GridRow[] = [];
  const starts: { row: number; position: number }[] = [];
  let top = 0;
  let position = 0;
  for (const [section, { heading, count }] of sections.entries()) {
    starts.push({ row: rows.length, position });
    if (heading !== undefined && count > 0) {
      rows.push({ kind: 'heading', section, top, height: headingHeight });
      top += headingHeight;
    }
    for (const row of justifyRows(ratios.subarray(position, position + count), width, target, gap)) {
      rows.push({ ...row, kind: 'items', section, top: top + row.top, first: position + row.first });
    }
    const last = rows.at(-1);
    if (count > 0 && last) top = last.top + last.height + gap;
    position += count;
  }
  return {
    total: position,
    height: Math.max(0, top - gap),
    rowCount: rows.length,
    sections,
    rowAt: (row) => rows[row],
    rowAtOffset: (offset) => lastAtMost(rows.length, (row) => rows[row]?.top, offset),
    // A heading has the position of the first item below it.
    rowOf: (at) => lastAtMost(rows.length, (row) => firstIn(rows[row], starts), at),
    rowOfSection: (section) => starts[section]?.row ?? 0,
    firstOf: (section) => starts[section]?.position ?? 0,
  };
}

/** Lays items out below each other, each in a row of the same height. */
export function createListLayout(total: number, width: number, height: number): GridLayout {
  const inList = (row: number) => Math.max(0, Math.min(total - 1, row));
  return {
    total,
    height: total * height,
    rowCount: total,
    sections: [{ heading: undefined, count: total }],
    rowAt: (row) => ({
      kind: 'items',
      section: 0,
      top: row * height,
      height,
      first: row,
      count: 1,
      lefts: [0],
      widths: [width],
    }),
    rowAtOffset: (offset) => inList(Math.floor(offset / height)),
    rowOf: inList,
    rowOfSection: () => 0,
    firstOf: () => 0,
  };
}

/** A month and how many items were recorded in it; null: without a date. */
export type Month = { month: string | null; count: number };

/**
 * Puts months that follow each other into one section as long as all of their pictures fit into one row.
 * @param name what a section is called that reaches from one month to another
 */
export function joinMonths(
  months: readonly Month[],
  ratios: Float32Array,
  { width, target, gap }: Measures,
  name: (first: string | null, last: string | null) => string,
): GridSection[] {
  const sections: (GridSection & { heading: string })[] = [];
  let position = 0;
  let joined: { first: string | null; width: number } | null = null;
  for (const { month, count } of months) {
    const own = naturalWidth(ratios.subarray(position, position + count), { width, target, gap });
    const section = sections.at(-1);
    if (section && joined && month !== null && joined.width + gap + own <= width) {
      section.heading = name(joined.first, month);
      section.count += count;
      joined.width += gap + own;
    } else {
      sections.push({ heading: name(month, month), mark: month?.slice(0, 4), count });
      joined = { first: month, width: own };
    }
    position += count;
  }
  return sections;
}

/** The width of pictures in a row of the target height; infinite beyond the width of the row. */
function naturalWidth(ratios: Float32Array, { width, target, gap }: Measures): number {
  let sum = -gap;
  for (const ratio of ratios) {
    sum += shownRatio(ratio) * target + gap;
    if (sum > width) return Infinity;
  }
  return sum;
}

/** The position nearest to an item some rows of items further down, or up; undefined beyond the first row and the last. */
export function positionBelow(layout: GridLayout, position: number, steps: number): number | undefined {
  let row = layout.rowOf(position);
  const from = layout.rowAt(row);
  if (from?.kind !== 'items') return undefined;
  for (let left = Math.abs(steps); left > 0; left--) {
    row += Math.sign(steps);
    // Above each heading, and below it, there are items.
    if (layout.rowAt(row)?.kind === 'heading') row += Math.sign(steps);
    if (row < 0 || row >= layout.rowCount) return undefined;
  }
  const to = layout.rowAt(row);
  if (to?.kind !== 'items') return undefined;
  const middle = middleOf(from, position - from.first);
  let nearest = 0;
  for (let i = 1; i < to.count; i++) {
    if (Math.abs(middleOf(to, i) - middle) < Math.abs(middleOf(to, nearest) - middle)) nearest = i;
  }
  return to.first + nearest;
}

const middleOf = ({ lefts, widths }: ItemsRow, index: number): number => (lefts[index] ?? 0) + (widths[index] ?? 0) / 2;

/** The first position in a row, or after a heading. */
export function firstIn(
  row: GridRow | undefined,
  starts: readonly { position: number }[] | Pick<GridLayout, 'firstOf'>,
): number {
  if (!row) return 0;
  if (row.kind === 'items') return row.first;
  return 'firstOf' in starts ? starts.firstOf(row.section) : (starts[row.section]?.position ?? 0);
}

/** The positions of the pictures in a rectangle of the grid, as ranges of positions that follow each other, both ends included. */
export function positionsIn(
  layout: GridLayout,
  box: { left: number; right: number; top: number; bottom: number },
): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (let index = layout.rowAtOffset(box.top); index < layout.rowCount; index++) {
    const row = layout.rowAt(index);
    if (!row || row.top > box.bottom) break;
    if (row.kind === 'heading' || row.top + row.height < box.top) continue;
    const meets = (i: number) =>
      (row.lefts[i] ?? 0) <= box.right && (row.lefts[i] ?? 0) + (row.widths[i] ?? 0) >= box.left;
    const columns = row.lefts.map((_, i) => i).filter(meets);
    const [first, last] = [columns[0], columns.at(-1)];
    if (first === undefined || last === undefined) continue;
    const before = ranges.at(-1);
    if (before && before[1] === row.first + first - 1) before[1] = row.first + last;
    else ranges.push([row.first + first, row.first + last]);
  }
  return ranges;
}

/** The position of the picture at a place of the grid, or of the nearest one before it. */
export function positionAt(layout: GridLayout, x: number, y: number): number {
  const row = layout.rowAt(layout.rowAtOffset(y));
  if (row?.kind !== 'items') return firstIn(row, layout);
  const column = row.lefts.findLastIndex((left) => left <= x);
  return row.first + Math.max(0, column);
}

/** The last of some places whose value is at most the wanted one, by bisection; 0 where there is none. */
function lastAtMost(count: number, valueAt: (place: number) => number | undefined, wanted: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((valueAt(middle) ?? Infinity) <= wanted) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

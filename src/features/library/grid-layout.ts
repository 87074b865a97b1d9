/** Items that stand together in a grid. */
export type GridSection = {
  /** Stands above them; undefined: they have none. */
  heading: string | undefined;
  /** What several sections have in common, such as their year. */
  mark?: string | undefined;
  count: number;
};

/** A row of a grid: the heading of a section, or items from a position on. */
export type GridRow =
  | { kind: 'heading'; section: number }
  | { kind: 'items'; section: number; first: number; count: number };

export type GridLayout = ReturnType<typeof createGridLayout>;

/**
 * Where items stand in a grid of sections that follow each other: a section begins in a row of its own, after its heading.
 * @param sections in order; empty ones have no row
 */
export function createGridLayout(sections: readonly GridSection[], columns: number) {
  let rows = 0;
  let total = 0;
  const starts = sections.map(({ heading, count }) => {
    const start = { row: rows, position: total, headingRows: heading === undefined || count === 0 ? 0 : 1, count };
    rows += start.headingRows + Math.ceil(count / columns);
    total += count;
    return start;
  });
  function rowAt(row: number): GridRow {
    const section = lastStarting(starts, 'row', row);
    const start = starts[section];
    const place = row - (start?.row ?? 0);
    if (!start || place < start.headingRows) return { kind: 'heading', section };
    const before = (place - start.headingRows) * columns;
    return {
      kind: 'items',
      section,
      first: start.position + before,
      count: Math.max(0, Math.min(columns, start.count - before)),
    };
  }

  /** The row of a position. */
  function rowOf(position: number): number {
    const start = starts[lastStarting(starts, 'position', position)];
    if (!start) return 0;
    return start.row + start.headingRows + Math.floor((position - start.position) / columns);
  }

  return {
    rows,
    total,
    columns,
    rowAt,
    rowOf,
    /** The row in which a section begins. */
    rowOfSection: (section: number): number => starts[section]?.row ?? 0,
    /** The first position in a row, or after a heading. */
    firstIn(row: number): number {
      const at = rowAt(row);
      return at.kind === 'items' ? at.first : (starts[at.section]?.position ?? 0);
    },
    /**
     * The position some rows of items further down, or up, in the same column where that has an item; undefined beyond the first row and the
     * last.
     */
    below(position: number, steps: number): number | undefined {
      const from = rowAt(rowOf(position));
      const column = from.kind === 'items' ? position - from.first : 0;
      let row = rowOf(position);
      for (let left = Math.abs(steps); left > 0; left--) {
        row += Math.sign(steps);
        // Above each heading, and below it, there are items.
        if (row >= 0 && row < rows && rowAt(row).kind === 'heading') row += Math.sign(steps);
        if (row < 0 || row >= rows) return undefined;
      }
      const at = rowAt(row);
      return at.kind === 'items' ? at.first + Math.min(column, at.count - 1) : undefined;
    },
  };
}

/** The last of the sections that begin at or before a row or a position, by bisection. */
function lastStarting(
  starts: readonly { row: number; position: number }[],
  key: 'row' | 'position',
  value: number,
): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle]?.[key] ?? Infinity) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

import type { SearchHit } from '../../api/generated/api/index.ts';

type Group = { id: string; filename: string; hits: SearchHit[] };

/** Hits by their items: items by their best hits, the hits of one in order of time. */
export function groupByItem(hits: SearchHit[]): Group[] {
  return [...Map.groupBy(hits, ({ id }) => id)].map(([id, ofItem]) => ({
    id,
    filename: ofItem[0]?.filename ?? '',
    hits: ofItem.toSorted((a, b) => a.start - b.start),
  }));
}

/** Joins items of one hit each that follow each other; an item of several hits stays alone. */
export function runsOf(groups: Group[]): Group[][] {
  const runs: Group[][] = [];
  for (const group of groups) {
    const last = runs.at(-1);
    if (group.hits.length === 1 && last?.[0]?.hits.length === 1) last.push(group);
    else runs.push([group]);
  }
  return runs;
}

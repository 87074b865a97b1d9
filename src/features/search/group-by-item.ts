import type { SearchHit } from '../../api/generated/api.ts';

/** Hits by their items: items by their best hits, the hits of one in order of time. */
export function groupByItem(hits: SearchHit[]): { id: string; filename: string; hits: SearchHit[] }[] {
  return [...Map.groupBy(hits, ({ id }) => id)].map(([id, ofItem]) => ({
    id,
    filename: ofItem[0]?.filename ?? '',
    hits: ofItem.toSorted((a, b) => a.start - b.start),
  }));
}

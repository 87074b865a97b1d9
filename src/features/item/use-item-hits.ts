import { useQuery } from '@tanstack/react-query';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { itemHitsOptions } from '../../api/queries.ts';
import type { ItemQuery } from '../../lib/search-in.ts';

export type ItemHits = {
  /** What clearly matches, in order of time. */
  shown: SearchHit[];
  /** What hardly matches, in order of time. */
  weak: SearchHit[];
  isPending: boolean;
  /** Why it failed, in a sentence. */
  error: string | null;
  retry: () => void;
};

/**
 * What answers words inside an item.
 * @param query without words nothing is asked
 */
export function useItemHits(id: string, query: ItemQuery): ItemHits {
  const { data, isPending, error, refetch } = useQuery({ ...itemHitsOptions(id, query), enabled: query.q !== '' });
  const hits = (data?.data ?? []).toSorted((a, b) => a.start - b.start);
  return {
    shown: hits.filter(({ weak }) => !weak),
    weak: hits.filter(({ weak }) => weak),
    isPending,
    error: data ? null : (error?.message ?? null),
    retry: () => void refetch(),
  };
}

import { useEffect, useRef, useState } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';

/**
 * The hits that are shown, then those of a longer answer that are not among them: the first hits of a search for more need not be those of a search
 * for fewer, and a list must not be shuffled under its reader. None of those shown also counts as similar to another.
 * @param shown as they stand; a hit that the longer answer has too is taken from there
 * @param count how many are kept
 */
export function appendHits(shown: SearchHit[], longer: SearchHit[], count: number): SearchHit[] {
  const hits = new Map([...shown, ...longer].map((hit) => [hit.chunk_id, hit]));
  return [...hits.values()].slice(0, count).map((hit) => ({
    ...hit,
    ...(hit.duplicates ? { duplicates: hit.duplicates.filter(({ chunk_id: id }) => !hits.has(id)) } : {}),
  }));
}

type Answer = { data: SearchHit[] };
type Shown = { search: string; count: number; answer: Answer | undefined; hits: SearchHit[] };

/**
 * The hits of a search, in an order that stays while more are shown.
 * @param search tells searches apart that differ in more than the number of hits
 * @param count how many are asked for
 * @param answer undefined as long as there is none for so many
 * @returns null before the first answer to this search
 */
export function useSteadyHits(search: string, count: number, answer: Answer | undefined): SearchHit[] | null {
  const [shown, setShown] = useState<Shown | null>(null);
  if (answer && (shown?.answer !== answer || shown.search !== search)) {
    const grew = shown?.search === search && shown.count < count;
    const hits = grew ? appendHits(shown.hits, answer.data, count) : answer.data;
    setShown({ search, count, answer, hits });
    return hits;
  }
  return shown?.search === search ? shown.hits : null;
}

/**
 * Puts the focus on the first hit that more results bring: what asked for them may be gone then, and keyboard users go on there.
 * @returns what to call when more are asked for
 */
export function useFocusOnMore(hits: SearchHit[]): () => void {
  const before = useRef<Set<string> | null>(null);
  useEffect(() => {
    const known = before.current;
    const first = known && hits.find(({ chunk_id: id }) => !known.has(id));
    if (!first) return;
    before.current = null;
    document.querySelector<HTMLElement>(`[data-chunk="${first.chunk_id}"]`)?.focus({ preventScroll: true });
  }, [hits]);
  return () => {
    before.current = new Set(hits.map(({ chunk_id: id }) => id));
  };
}

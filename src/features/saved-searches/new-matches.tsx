import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { savedSearchesOptions, savedSearchRequests } from '../../api/saved-searches.ts';

/** How many new matches a saved search has; nothing without any. */
export function NewMatches({ saved }: { saved: SavedSearch }) {
  if (!saved.new_matches) return null;
  return (
    <span className="shrink-0 rounded-full bg-accent px-1.5 text-xs leading-5 font-medium text-accent-ink tabular-nums">
      {saved.new_matches > 99 ? '99+' : saved.new_matches}
      <span className="sr-only"> new {saved.new_matches === 1 ? 'match' : 'matches'}</span>
    </span>
  );
}

/** Counts the matches of the saved search that is shown as looked at. */
export function useLookedAt(shown: SavedSearch | undefined): void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (id: string) => savedSearchRequests.change(id, { new_matches: 0 }),
    onSuccess: () => client.invalidateQueries({ queryKey: savedSearchesOptions.queryKey }),
  });
  const { id, new_matches: count = 0 } = shown ?? {};
  useEffect(() => {
    if (id !== undefined && count > 0) mutate(id);
  }, [id, count, mutate]);
}

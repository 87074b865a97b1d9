import { useLocation, useSearchParams } from 'react-router';
import { type ItemQuery, readItemQuery } from '../../lib/search-in.ts';

/** What the address of an item searches for in it, and how to change that: in the same entry of the history, at the same place of the page. */
export function useItemQuery(): [query: ItemQuery, set: (changes: Partial<ItemQuery>) => void] {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation() as { state: unknown };
  const set = (changes: Partial<ItemQuery>) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        const { q, in: places } = { ...readItemQuery(before), ...changes };
        after.delete('q');
        after.delete('in');
        if (q !== '') after.set('q', q);
        if (q !== '' && places !== undefined) after.set('in', places);
        return after;
      },
      { replace: true, preventScrollReset: true, state },
    );
  return [readItemQuery(search), set];
}

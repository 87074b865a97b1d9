import { useSearchParams } from 'react-router';

/** Parts of the state that open something in a list, or show more of it: the page stays where it is scrolled to. */
const inPlace = new Set(['hit', 't', 'similar', 'n', 'box', 'at']);

/** The state of a view that is in the address, and how to change one part of it. An empty value takes the part away. */
export function useSearchState(): [
  URLSearchParams,
  (changes: Record<string, string | undefined>, how?: { replace?: boolean }) => void,
] {
  const [search, setSearch] = useSearchParams();
  return [
    search,
    (changes, { replace = false } = {}) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes)) {
            if (value) after.set(name, value);
            else after.delete(name);
          }
          return after;
        },
        { replace, preventScrollReset: Object.keys(changes).every((name) => inPlace.has(name)) },
      ),
  ];
}

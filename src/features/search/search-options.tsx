import type { MenuEntry } from '../../ui/popup-menu.tsx';

/** How many results are asked for, one step after the other. The last is the most that a search returns. */
const counts = [20, 48, 100];

/** How many results are asked for, by the URL; 48 unless chosen otherwise. */
export const readCount = (search: URLSearchParams): number =>
  counts.find((count) => String(count) === search.get('n')) ?? 48;

/** How many results are asked for when more than so many are wanted; undefined when a search returns no more. */
export const nextCount = (count: number): number | undefined => counts.find((next) => next > count);

/** Whether near-duplicates are hidden, by the URL: unless it says that they are not. */
export const hidesDuplicates = (search: URLSearchParams): boolean => search.get('dedupe') !== '0';

type Change = (changes: Record<string, string | undefined>) => void;

/** The choice of how many results are shown. */
export const countEntry = (value: string, of: readonly string[], onChange: Change): MenuEntry => ({
  kind: 'choice',
  label: 'Number of results',
  value,
  options: of.map((count) => ({ value: count, text: `Show ${count}` })),
  onChange: (n) => onChange({ n }),
});

/** Shows near-duplicates behind the best of them, or all on their own. */
export const duplicatesEntry = (search: URLSearchParams, onChange: Change): MenuEntry => ({
  kind: 'check',
  text: 'Hide duplicates',
  about: 'Shows what is nearly the same once',
  checked: hidesDuplicates(search),
  onChange: (on) => onChange({ dedupe: on ? undefined : '0', similar: undefined }),
});

/** How results are shown: their number, near-duplicates, grouping, another look at the best of them. */
export function searchEntries(search: URLSearchParams, onChange: Change): MenuEntry[] {
  const flag = (name: string) => ({
    kind: 'check' as const,
    checked: search.get(name) === '1',
    onChange: (on: boolean) => onChange({ [name]: on ? '1' : undefined }),
  });
  return [
    duplicatesEntry(search, onChange),
    { ...flag('group'), text: 'Group by file', about: 'Shows the results of a file together' },
    { ...flag('rerank'), text: 'Rerank', about: 'Compares parts of the best results as well' },
    countEntry(String(readCount(search)), counts.map(String), onChange),
  ];
}

import { Select } from '../../ui/select.tsx';
import { Toggle } from '../../ui/toggle.tsx';

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

/** Shows near-duplicates behind the best of them, or all on their own. */
export const HideDuplicates = ({ search, onChange }: { search: URLSearchParams; onChange: Change }) => (
  <Toggle
    pressed={hidesDuplicates(search)}
    onChange={(on) => onChange({ dedupe: on ? undefined : '0', similar: undefined })}
    title="Shows what is nearly the same once"
  >
    Hide duplicates
  </Toggle>
);

/** Number of results, near-duplicates, grouping, another look at the best results. */
export function SearchOptions({ search, onChange }: { search: URLSearchParams; onChange: Change }) {
  const flag = (name: string) => ({
    pressed: search.get(name) === '1',
    onChange: (on: boolean) => onChange({ [name]: on ? '1' : undefined }),
  });
  return (
    <>
      <Select
        hideLabel
        label="Number of results"
        value={String(readCount(search))}
        options={counts.map((count) => ({ value: String(count), text: `Show ${count}` }))}
        onChange={(n) => onChange({ n })}
        className="shrink-0"
      />
      <HideDuplicates search={search} onChange={onChange} />
      <Toggle {...flag('group')} title="Shows the results of a file together">
        Group by file
      </Toggle>
      <Toggle
        {...flag('rerank')}
        title="Compares moments and parts of the best results as well, also where that takes longer"
      >
        Rerank
      </Toggle>
    </>
  );
}

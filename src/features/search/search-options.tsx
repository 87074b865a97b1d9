import { Select } from '../../ui/select.tsx';
import { Toggle } from '../../ui/toggle.tsx';

const counts = ['20', '48', '100'] as const;

/** How many hits are shown unless chosen otherwise. */
export const readCount = (search: URLSearchParams): number =>
  Number(counts.find((count) => count === search.get('n')) ?? '48');

/** Number of hits, near-duplicates off, another look at the best hits. */
export function SearchOptions({
  search,
  onChange,
}: {
  search: URLSearchParams;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const flag = (name: string) => ({
    pressed: search.get(name) === '1',
    onChange: (on: boolean) => onChange({ [name]: on ? '1' : undefined }),
  });
  return (
    <>
      <Select
        hideLabel
        label="Number of hits"
        value={String(readCount(search)) as (typeof counts)[number]}
        options={counts.map((count) => ({ value: count, text: `${count} hits` }))}
        onChange={(n) => onChange({ n })}
        className="shrink-0"
      />
      <Toggle {...flag('dedupe')} title="Shows near-duplicates once">
        Each event once
      </Toggle>
      <Toggle {...flag('group')} title="Shows the hits of an item together">
        By item
      </Toggle>
      <Toggle {...flag('rerank')} title="Compares moments and parts of the best hits as well">
        Rerank
      </Toggle>
    </>
  );
}

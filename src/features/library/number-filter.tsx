import type { Filter } from '../../../contract/fields.ts';
import { describeRange } from '../../lib/filter-url.ts';
import { Select } from '../../ui/select.tsx';

/** A choice among ranges of a number. One that a link has besides them is offered, too. */
export function NumberFilter({
  field,
  filters,
  search,
  onChange,
}: {
  field: Extract<Filter['field'], { kind: 'number' }>;
  filters: readonly Filter[];
  search: URLSearchParams;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const bounds = (of: (filter: Filter) => string | number | null | undefined): string =>
    filters.map((filter) => of(filter) ?? '').join('–');
  const chosen = bounds(({ url }) => search.get(url));
  const offered = field.ranges.map((range) => ({
    value: bounds(({ operator }) => (operator === 'min' ? range.min : range.max)),
    text: range.text,
  }));
  const none = bounds(() => null);
  const isKnown = chosen === none || offered.some(({ value }) => value === chosen);
  return (
    <Select
      hideLabel
      label={field.label}
      value={chosen}
      options={[
        { value: none, text: field.any },
        ...(isKnown ? [] : [{ value: chosen, text: describeRange(field, filters, search) }]),
        ...offered,
      ]}
      onChange={(value) => {
        const values = value.split('–');
        onChange(Object.fromEntries(filters.map(({ url }, i) => [url, values[i]])));
      }}
      // As wide as what is chosen: the row has many controls.
      className="shrink-0"
    />
  );
}

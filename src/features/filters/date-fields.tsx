import { useEffect, useRef } from 'react';
import { parseDay, readDates } from '../../lib/date-range.ts';
import type { FieldFilters } from '../../lib/filter-url.ts';
import type { ChangeFilters } from './filter-bar.tsx';
import { dateChanges } from './offers.ts';

/** A range of days by its ends, each of which may be left open. */
export function DateFields({
  of: { filters },
  search,
  onChange,
}: {
  of: FieldFilters;
  search: URLSearchParams;
  onChange: ChangeFilters;
}) {
  const range = readDates(search);
  const change = (part: Partial<typeof range>) => {
    const next = { ...range, ...part };
    // Without both ends the filter would go with what it is edited in, while the next day is being typed.
    if (next.from ?? next.to) onChange(dateChanges(filters, next), { replace: true });
  };
  return (
    <div className="grid grid-cols-2 gap-2 border-t border-line p-3">
      <DayField label="From" day={range.from} max={range.to} onChange={(from) => change({ from })} />
      <DayField label="To" day={range.to} min={range.from} onChange={(to) => change({ to })} />
    </div>
  );
}

/** One end of the range. While the user types in it, it is left alone: a date that is half typed is no date. */
function DayField({
  label,
  day,
  min,
  max,
  onChange,
}: {
  label: string;
  day: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string | undefined) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = day ?? '';
  }, [day]);
  return (
    <label className="min-w-0 text-label text-quiet">
      {label}
      <input
        type="date"
        ref={field}
        defaultValue={day ?? ''}
        min={min ?? '1826-01-01'}
        max={max ?? '9998-12-31'}
        onChange={({ target }) => {
          const chosen = parseDay(target.value);
          if ((chosen !== undefined && target.validity.valid) || target.value === '') onChange(chosen);
        }}
        className="mt-1 h-9 w-full rounded-control border border-line bg-canvas px-2 text-ink pointer-coarse:h-11"
      />
    </label>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Popover } from 'radix-ui';
import { type RefObject, useEffect, useRef } from 'react';
import { monthsOptions } from '../../api/queries.ts';
import { addDays, type DateRange, parseDay, today, yearOf, yearRange } from '../../lib/date-range.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';

/** Ranges that are asked for often, as of today. */
const presets = (now: string): { text: string; range: DateRange }[] => [
  { text: 'Last 30 days', range: { from: addDays(now, -29), to: now } },
  { text: 'This year', range: yearRange(now.slice(0, 4)) },
];

/** The choice of a range of days: two dates, ranges that are asked for often, and the years that have media. */
export function DatePopover({
  anchor,
  range,
  onChange,
  onClose,
}: {
  /** The button that opened it, which gets the focus back. */
  anchor: RefObject<HTMLButtonElement | null>;
  range: DateRange;
  onChange: (range: DateRange) => void;
  onClose: () => void;
}) {
  const months = useQuery(monthsOptions({}));
  const years = [...new Set((months.data ?? []).flatMap(({ month }) => (month === null ? [] : [month.slice(0, 4)])))];
  const finish = (chosen: DateRange) => {
    onChange(chosen);
    onClose();
  };
  return (
    <Popover.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Popover.Anchor virtualRef={anchor} />
      <Popover.Portal>
        <Popover.Content
          aria-label="Date taken"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            anchor.current?.focus();
          }}
          className="z-50 w-72 max-w-[calc(100vw-1.5rem)] space-y-3 rounded-card border border-line bg-surface p-4 shadow-float"
        >
          <div className="flex flex-wrap gap-2">
            {presets(today()).map(({ text, range: preset }) => (
              <Button key={text} size="small" onClick={() => finish(preset)}>
                {text}
              </Button>
            ))}
          </div>
          <YearChoice years={years} range={range} onChange={onChange} />
          <DayField label="From" day={range.from} max={range.to} onChange={(from) => onChange({ ...range, from })} />
          <DayField label="To" day={range.to} min={range.from} onChange={(to) => onChange({ ...range, to })} />
          {months.isSuccess && years.length === 0 ? (
            <p className="text-label text-quiet">No file here says when it was taken.</p>
          ) : null}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The years that have media, and the one that is chosen: a link may lead to a year that has none. */
function YearChoice({
  years,
  range,
  onChange,
}: {
  years: string[];
  range: DateRange;
  onChange: (range: DateRange) => void;
}) {
  const year = yearOf(range);
  const offered = year === undefined || years.includes(year) ? years : [year, ...years];
  if (offered.length === 0) return null;
  return (
    <Select
      label="Year"
      value={year ?? ''}
      options={[{ value: '', text: 'Any year' }, ...offered.map((value) => ({ value, text: value }))]}
      onChange={(value) => onChange(value === '' ? { from: undefined, to: undefined } : yearRange(value))}
    />
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
    <label className="flex items-center justify-between gap-3 font-medium">
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
        className="h-9 w-44 rounded-control border border-line bg-surface px-2.5 font-normal"
      />
    </label>
  );
}

import { CalendarRange, X } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { lazyPart } from '../../api/parts.ts';
import { type DateRange, yearOf } from '../../lib/date-range.ts';
import { formatCalendarDay } from '../../lib/taken.ts';
import { Button } from '../../ui/button.tsx';

const DatePopover = lazyPart(async () => (await import('./date-popover.tsx')).DatePopover);

/** What a range is called. */
function nameRange(range: DateRange): string {
  const { from, to } = range;
  if (from && to) return yearOf(range) ?? (from === to ? formatCalendarDay(from) : formatDays(from, to));
  return from ? `Since ${formatCalendarDay(from)}` : `Until ${formatCalendarDay(to ?? '')}`;
}

const formatDays = (from: string, to: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    new Date(`${from}T00:00:00Z`),
    new Date(`${to}T00:00:00Z`),
  );

/** The choice of a range of days on which media was recorded. While one is chosen, it says which, and can be taken away. */
export function DateFilter({ range, onChange }: { range: DateRange; onChange: (range: DateRange) => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const chosen = range.from !== undefined || range.to !== undefined;
  return (
    <div className="inline-flex shrink-0">
      <Button
        ref={button}
        size="small"
        variant={chosen ? 'pressed' : 'secondary'}
        className={chosen ? 'rounded-r-none' : ''}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <CalendarRange aria-hidden />
        {chosen ? nameRange(range) : 'Date taken'}
      </Button>
      {chosen ? (
        <Button
          size="smallIcon"
          variant="pressed"
          className="rounded-l-none"
          aria-label="Remove the filter by date"
          title="Remove the filter by date"
          onClick={() => {
            onChange({ from: undefined, to: undefined });
            button.current?.focus();
          }}
        >
          <X aria-hidden />
        </Button>
      ) : null}
      {open ? (
        <Suspense>
          <DatePopover anchor={button} range={range} onChange={onChange} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

import { useState } from 'react';
import type { Workspace } from '../../api/generated/api/index.ts';
import { formatBytes, formatCount, formatDay } from '../../lib/format.ts';
import { Choice } from '../../ui/choice.tsx';

type Day = Workspace['usage']['history'][number];
type Series = 'searches' | 'uploads' | 'storage_bytes';

const series: { value: Series; text: string; format: (value: number) => string }[] = [
  { value: 'searches', text: 'Searches', format: formatCount },
  { value: 'uploads', text: 'Uploads', format: formatCount },
  { value: 'storage_bytes', text: 'Storage', format: formatBytes },
];

const shownDays = 30;

/** Every one of the last days: nothing happened on those without an entry, and what was stored stayed. */
function fillDays(history: Day[]): Day[] {
  const byDate = new Map(history.map((day) => [day.date, day]));
  const first = new Date(Date.now() - (shownDays - 1) * 86_400_000).toISOString().slice(0, 10);
  let stored = history.findLast(({ date }) => date < first)?.storage_bytes ?? 0;
  return Array.from({ length: shownDays }, (_, i) => {
    const date = new Date(Date.now() - (shownDays - 1 - i) * 86_400_000).toISOString().slice(0, 10);
    const day = byDate.get(date) ?? { date, uploads: 0, searches: 0, storage_bytes: stored };
    stored = day.storage_bytes;
    return day;
  });
}

/** Usage day by day as bars; a table of the same for those who cannot see them. */
export function UsageChart({ history }: { history: Day[] }) {
  const [chosen, setChosen] = useState<Series>('searches');
  const [pointed, setPointed] = useState<number | null>(null);
  const { text, format } = series.find(({ value }) => value === chosen) ?? { text: '', format: formatCount };
  const days = fillDays(history);
  const highest = Math.max(1, ...days.map((day) => day[chosen]));
  const day = days[pointed ?? days.length - 1];
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="tabular-nums">
          <span className="text-lg font-semibold">{day ? format(day[chosen]) : ''}</span>{' '}
          <span className="text-quiet">{day ? formatDay(day.date) : ''}</span>
        </p>
        <Choice label="Show" value={chosen} options={series} onChange={(value) => setChosen(value ?? 'searches')} />
      </div>
      <div
        aria-hidden
        className="mt-4 flex h-36 items-end gap-[3px] border-b border-line"
        onPointerLeave={() => setPointed(null)}
      >
        {days.map((each, i) => (
          <div key={each.date} className="flex h-full flex-1 items-end" onPointerEnter={() => setPointed(i)}>
            <div
              className={i === pointed ? 'w-full rounded-t-sm bg-accent' : 'w-full rounded-t-sm bg-accent/55'}
              style={{ height: each[chosen] === 0 ? '2px' : `${Math.max(3, (100 * each[chosen]) / highest)}%` }}
            />
          </div>
        ))}
      </div>
      <div className="mt-1.5 flex justify-between text-xs text-quiet" aria-hidden>
        <span>{formatDay(days[0]?.date ?? '')}</span>
        <span>Today</span>
      </div>
      <table className="sr-only">
        <caption>{text} by day</caption>
        <tbody>
          {days
            .filter((each) => each[chosen] > 0)
            .map((each) => (
              <tr key={each.date}>
                <th scope="row">{formatDay(each.date)}</th>
                <td>{format(each[chosen])}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

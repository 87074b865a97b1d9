import { clsx } from 'clsx';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import type { Workspace } from '../../api/generated/api/index.ts';
import { formatBytes, formatCount, formatDuration, formatPercent } from '../../lib/format.ts';
import { paths } from '../../paths.ts';

type Amount = keyof Workspace['quota'];

const amounts: { key: Amount; name: string; format: (value: number) => string }[] = [
  { key: 'storage_bytes', name: 'Storage', format: formatBytes },
  { key: 'media_items', name: 'Media items', format: formatCount },
  { key: 'indexed_seconds', name: 'Indexed video', format: formatDuration },
  { key: 'searches_per_month', name: 'Searches this month', format: formatCount },
];

/** From this share of a limit on people are warned. */
const warnFrom = 0.8;

/** How much of an amount is in the trash; a server of an earlier version does not say. */
const trashed = ({ trash }: Partial<Workspace['usage']>, key: Amount): number =>
  key === 'storage_bytes' || key === 'media_items' ? (trash?.[key] ?? 0) : 0;

function InTrash({ amount, format }: { amount: number; format: (value: number) => string }) {
  if (amount === 0) return null;
  return (
    <Link to={paths.trash} className="ml-2 text-xs text-quiet underline underline-offset-2 hover:text-ink">
      {format(amount)} in the trash
    </Link>
  );
}

/** What is used of each limit, and what is left. */
export function QuotaBars({ workspace: { plan, usage, quota } }: { workspace: Workspace }) {
  return (
    <dl className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      {amounts.map(({ key, name, format }) => {
        const limit = plan.limits[key];
        const left = quota[key];
        const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, usage[key] / limit);
        const near = limit !== null && share >= warnFrom;
        return (
          <div key={key}>
            <dt className="flex items-baseline justify-between gap-3">
              <span className="font-medium">{name}</span>
              <span className="text-quiet tabular-nums">
                {limit === null ? 'Unlimited' : `${formatPercent(share)} of ${format(limit)}`}
              </span>
            </dt>
            <dd className="mt-1.5">
              <span className="text-lg font-semibold tabular-nums">{format(usage[key])}</span>
              <InTrash amount={trashed(usage, key)} format={format} />
              {limit === null || left === null ? null : (
                <>
                  <div
                    role="meter"
                    aria-label={name}
                    aria-valuemin={0}
                    aria-valuemax={limit}
                    aria-valuenow={usage[key]}
                    className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line"
                  >
                    <div
                      className={clsx('h-full rounded-full', near ? 'bg-danger' : 'bg-accent')}
                      style={{ width: `${share * 100}%` }}
                    />
                  </div>
                  <p className={clsx('mt-1 flex items-center gap-1 text-xs', near ? 'text-danger' : 'text-quiet')}>
                    {near ? <TriangleAlert className="size-3.5" aria-hidden /> : null}
                    {left === 0 ? 'Limit reached' : `${format(left)} left`}
                  </p>
                </>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

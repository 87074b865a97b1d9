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

/** Which part of a limit an amount is, at most all of it. */
const shareOf = (amount: number, limit: number): number => (limit === 0 ? 1 : Math.min(1, amount / limit));

/** From this share of a limit on people are warned. */
const isNear = (share: number): boolean => share >= 0.8;

/** How much of an amount is in the trash, or reserved by open uploads. */
const partOf = (part: { media_items: number; storage_bytes: number }, key: Amount): number =>
  key === 'storage_bytes' || key === 'media_items' ? part[key] : 0;

function InTrash({ amount, format }: { amount: number; format: (value: number) => string }) {
  if (amount === 0) return null;
  return (
    <Link to={paths.trash} className="ml-2 text-xs text-quiet underline underline-offset-2 hover:text-ink">
      {format(amount)} in the trash
    </Link>
  );
}

/** A limit, with what is used of it and, paler, what is reserved. */
function LimitBar({ name, limit, used, reserved }: { name: string; limit: number; used: number; reserved: number }) {
  const colour = isNear(shareOf(used + reserved, limit)) ? 'bg-danger' : 'bg-accent';
  const width = (amount: number) => ({ width: `${shareOf(amount, limit) * 100}%` });
  return (
    <div
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={used + reserved}
      className="relative mt-1.5 h-1.5 overflow-hidden rounded-full bg-line"
    >
      <div className={clsx('absolute h-full rounded-full opacity-50', colour)} style={width(used + reserved)} />
      <div className={clsx('absolute h-full rounded-full', colour)} style={width(used)} />
    </div>
  );
}

/** What is used of each limit, and what is left. */
export function QuotaBars({ workspace: { plan, usage, quota } }: { workspace: Workspace }) {
  const { trash, open_uploads: open } = usage;
  return (
    <dl className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
      {amounts.map(({ key, name, format }) => {
        const limit = plan.limits[key];
        const left = quota[key];
        const reserved = partOf(open, key);
        const share = limit === null ? 0 : shareOf(usage[key] + reserved, limit);
        const near = isNear(share);
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
              <InTrash amount={partOf(trash, key)} format={format} />
              {reserved === 0 ? null : (
                <span className="ml-2 text-xs text-quiet">and {format(reserved)} reserved by open uploads</span>
              )}
              {limit === null || left === null ? null : (
                <>
                  <LimitBar name={name} limit={limit} used={usage[key]} reserved={reserved} />
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

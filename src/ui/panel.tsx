import type { ReactNode } from 'react';
import { QueryFailure } from './query-failure.tsx';

/** A part of a page with its own heading. */
export function Panel({
  title,
  description,
  action,
  children,
}: {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="rounded-card border border-line bg-surface">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 pt-4 pb-3 sm:px-5">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-semibold">{title}</h2>
          {description === undefined ? null : <p className="mt-1 leading-relaxed text-quiet">{description}</p>}
        </div>
        {action}
      </header>
      <div className="px-4 pb-4 sm:px-5">{children}</div>
    </section>
  );
}

/** Grey bars in the place of rows that are loading. */
export const PanelSkeleton = ({ rows = 3 }: { rows?: number }) => (
  <div className="space-y-3 py-1" role="status" aria-busy="true" aria-label="Loading">
    {Array.from({ length: rows }, (_, i) => (
      <div key={i} className="h-9 animate-pulse rounded-control bg-raised" />
    ))}
  </div>
);

type List<Entry> = { data: Entry[] | undefined; isPending: boolean; error: Error | null; refetch: () => unknown };

/**
 * The entries of a list that is read from the service, or what is shown in their place: while it loads, after a failure, and without entries.
 * @param children makes the row of an entry
 */
export const PanelList = <Entry,>({
  list,
  label,
  empty,
  children,
}: {
  list: List<Entry>;
  label: string;
  empty?: ReactNode;
  children: (entry: Entry) => ReactNode;
}) => (
  <>
    {list.isPending ? <PanelSkeleton /> : null}
    {list.error ? <QueryFailure error={list.error} onRetry={() => void list.refetch()} /> : null}
    {list.data?.length === 0 ? <p className="py-3 text-quiet">{empty}</p> : null}
    <ul className="divide-y divide-line" aria-label={label}>
      {list.data?.map(children)}
    </ul>
  </>
);

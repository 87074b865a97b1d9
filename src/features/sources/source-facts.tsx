import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Source } from '../../api/generated/api/index.ts';
import { formatBytes, formatCount, formatDate } from '../../lib/format.ts';
import { type MediaStatus, mediaStatuses } from '../../lib/media-status.ts';
import { countItemsOf } from '../../lib/source-counts.ts';
import { paths } from '../../paths.ts';
import { countFiles, describeScan } from './describe-source.ts';

/** The states of items in the order in which they are counted: first those that can be searched. */
const shownStatuses: readonly MediaStatus[] = ['complete', 'indexing', 'pending', 'error'];

/** What a source holds, and when it was looked at. */
export function SourceFacts({ source }: { source: Source }) {
  const { id, files, items, last_scan: last } = source;
  return (
    <dl className="divide-y divide-line">
      <Fact name="Files">
        {countFiles(files.total)} · {formatBytes(files.bytes)}
      </Fact>
      <Fact name="Items">
        <Link to={paths.inFolder(id)} className="text-accent hover:underline">
          {formatCount(countItemsOf(source))} in the library
        </Link>
      </Fact>
      {shownStatuses
        .filter((status) => items[status] > 0)
        .map((status) => (
          <Fact key={status} name={mediaStatuses[status].text}>
            <Link to={paths.inFolder(id, '', { status })} className="hover:text-accent hover:underline">
              {formatCount(items[status])}
            </Link>
          </Fact>
        ))}
      {last ? (
        <Fact name="Last scan">
          <time dateTime={last.ended_at}>{formatDate(last.ended_at)}</time>
          <span className="block text-xs text-quiet">{describeScan(last)}</span>
        </Fact>
      ) : null}
      <Fact name="Changes">{source.watching ? 'Watched' : 'Found by scans'}</Fact>
      <Fact name="Added">{formatDate(source.created_at)}</Fact>
      <Globs name="Only" globs={source.include} />
      <Globs name="Left out" globs={source.exclude} />
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4 py-2">
    <dt className="shrink-0 text-quiet">{name}</dt>
    <dd className="min-w-0 text-right tabular-nums">{children}</dd>
  </div>
);

const Globs = ({ name, globs }: { name: string; globs: readonly string[] }) =>
  globs.length === 0 ? null : (
    <Fact name={name}>
      {globs.map((glob) => (
        <code key={glob} className="block text-xs wrap-anywhere">
          {glob}
        </code>
      ))}
    </Fact>
  );

import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatBytes, formatDate, formatTime } from '../../lib/format.ts';
import { describeReading } from '../../lib/text-reading.ts';
import { CaptureRows } from './capture-rows.tsx';
import { TechnicalDetails } from './technical-details.tsx';

/** What is known of the file of an item. */
export function ItemDetails({
  item,
  badge,
  children,
}: {
  item: MediaItem;
  /** Its status, where that needs attention. */
  badge: ReactNode;
  /** What people say of it: its labels. */
  children: ReactNode;
}) {
  const rows: [name: string, value: string | null, title?: string | null][] = [
    ['Type', item.mime_type],
    ['Duration', item.duration === null ? null : formatTime(item.duration, true)],
    ['Dimensions', item.width === null ? null : `${item.width} × ${item.height}`],
    ['Size', formatBytes(item.size)],
    ['Scenes', item.type === 'video' && item.chunk_count > 0 ? String(item.chunk_count) : null],
    ['On-screen text', describeReading(item.ocr), item.ocr?.message],
    ['Speech', describeReading(item.speech), item.speech?.message],
    ['Uploaded', formatDate(item.created_at)],
    ['Indexed', item.indexed_at && formatDate(item.indexed_at)],
    ['SHA-256', `${item.sha256.slice(0, 16)}…`, item.sha256],
  ];
  return (
    <section aria-label="Details" className="rounded-card border border-line bg-surface p-4">
      <div className="mb-3 flex items-center justify-between">
        <h2 className="font-semibold">Details</h2>
        {badge}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        <CaptureRows item={item} />
        {rows.map(([name, value, title]) =>
          value === null ? null : (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className="truncate text-right tabular-nums" title={title ?? value}>
                {value}
              </dd>
            </div>
          ),
        )}
      </dl>
      <TechnicalDetails details={item.details} />
      <div className="mt-4">{children}</div>
    </section>
  );
}

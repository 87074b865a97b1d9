import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { describeStage } from '../../lib/describe-stage.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';

/** What the item shows, with what is wrong with it; while it is indexed its progress, and why it could not be. */
export const ItemPreview = ({
  item,
  retry,
  children,
}: {
  item: MediaItem;
  /** Puts the item back to be indexed. */
  retry: ReactNode;
  /** Player or image of an item that can be shown. */
  children: ReactNode;
}) => (
  <section aria-label="Preview" className="overflow-hidden rounded-card border border-line bg-surface">
    {item.warning ? (
      <p role="status" className="flex items-start gap-2 bg-danger-soft px-3 py-2 text-danger">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        {item.warning.message}
      </p>
    ) : null}
    {item.status === 'error' ? (
      <Notice icon={CircleAlert} title="This file could not be indexed" action={retry}>
        <p role="alert">{item.error?.message}</p>
      </Notice>
    ) : item.url ? (
      children
    ) : (
      <Indexing item={item} />
    )}
  </section>
);

const Indexing = ({ item: { filename, progress } }: { item: MediaItem }) => (
  <div className="mx-auto max-w-sm px-6 py-24 text-center">
    <p className="mb-3 font-medium">{describeStage(progress)}</p>
    <ProgressBar fraction={progress?.fraction ?? 0} label={`Indexing ${filename}`} />
    <p className="mt-3 text-quiet">It can be played and searched as soon as this is done.</p>
  </div>
);

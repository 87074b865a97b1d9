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
  /** Puts the item back to be indexed; null where that cannot help. */
  retry: ReactNode;
  /** Player or image of an item that can be shown. */
  children: ReactNode;
}) => (
  <section aria-label="Preview" className="absolute inset-0">
    {item.status === 'error' ? (
      <Middle>
        <Notice icon={CircleAlert} title="This file could not be indexed" action={retry}>
          <p role="alert">{item.error?.message}</p>
        </Notice>
      </Middle>
    ) : item.url ? (
      children
    ) : (
      <Middle>
        <Indexing item={item} />
      </Middle>
    )}
    {item.warning ? (
      <p
        role="status"
        className="absolute inset-x-3 top-16 z-10 mx-auto flex w-fit max-w-xl items-start gap-2 rounded-control bg-danger-soft px-3 py-2 text-danger"
      >
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        {item.warning.message}
      </p>
    ) : null}
  </section>
);

const Middle = ({ children }: { children: ReactNode }) => (
  <div className="absolute inset-0 grid place-items-center overflow-y-auto">{children}</div>
);

const Indexing = ({ item: { filename, thumbnail, progress } }: { item: MediaItem }) => (
  <>
    {thumbnail === null ? null : (
      <img src={thumbnail} alt="" className="absolute inset-0 size-full object-contain opacity-30" />
    )}
    <div className="relative w-full max-w-sm px-6 py-24 text-center">
      <p className="mb-3 font-medium">{describeStage(progress)}</p>
      <ProgressBar fraction={progress?.fraction ?? 0} label={`Indexing ${filename}`} />
      <p className="mt-3 text-quiet">It can be played and searched as soon as this is done.</p>
    </div>
  </>
);

import { CircleAlert, TriangleAlert, Unplug } from 'lucide-react';
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
    ) : item.status === 'complete' && item.source?.offline ? (
      <Middle>
        <Faint thumbnail={item.thumbnail} />
        <Notice icon={Unplug} title="The original is offline">
          {item.source.name} is not to be reached at the moment, and there is no preview of this item.
        </Notice>
      </Middle>
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
    ) : item.source?.offline && item.url ? (
      <p
        role="status"
        className="pointer-events-none absolute inset-x-3 top-16 z-10 mx-auto flex w-fit max-w-xl items-start gap-2 rounded-control bg-black/65 px-3 py-2 text-white forced-colors:bg-[Canvas]"
      >
        <Unplug className="mt-0.5 size-4 shrink-0" aria-hidden />
        {item.source.name} is offline: this is the preview, not the original.
      </p>
    ) : null}
  </section>
);

const Middle = ({ children }: { children: ReactNode }) => (
  <div className="absolute inset-0 grid place-items-center overflow-y-auto">{children}</div>
);

/** Behind words. */
const Faint = ({ thumbnail }: Pick<MediaItem, 'thumbnail'>) =>
  thumbnail === null ? null : (
    <img src={thumbnail} alt="" className="absolute inset-0 size-full object-contain opacity-30" />
  );

const Indexing = ({ item: { filename, thumbnail, progress, source } }: { item: MediaItem }) => (
  <>
    <Faint thumbnail={thumbnail} />
    <div className="relative w-full max-w-sm px-6 py-24 text-center">
      <p className="mb-3 font-medium">{describeStage(progress)}</p>
      <ProgressBar fraction={progress?.fraction ?? 0} label={`Indexing ${filename}`} />
      <p className="mt-3 text-quiet">
        {source?.offline
          ? `Its source ${source.name} is offline. This goes on once it is back.`
          : 'It can be played and searched as soon as this is done.'}
      </p>
    </div>
  </>
);

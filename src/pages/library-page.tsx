import { useInfiniteQuery } from '@tanstack/react-query';
import { Film, SearchX } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { mediaListOptions, type MediaStatus } from '../api/queries.ts';
import { MediaCard, MediaCardSkeleton } from '../features/library/media-card.tsx';
import { readType, TypeChoice } from '../features/library/type-choice.tsx';
import { UploadButton } from '../features/upload/drop-anywhere.tsx';
import { formatCount } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { cardGrid } from '../ui/card-grid.ts';
import { Choice } from '../ui/choice.tsx';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

const statuses: { value: MediaStatus | undefined; text: string }[] = [
  { value: undefined, text: 'Any status' },
  { value: 'pending', text: 'Waiting' },
  { value: 'indexing', text: 'Indexing' },
  { value: 'complete', text: 'Ready' },
  { value: 'error', text: 'Failed' },
];

/** All media of the workspace, the newest first. The filters are in the address. */
export function LibraryPage() {
  const [search, setSearch] = useSearchParams();
  const type = readType(search);
  const status = statuses.find(({ value }) => value !== undefined && value === search.get('status'))?.value;
  const media = useInfiniteQuery(mediaListOptions({ ...(type ? { type } : {}), ...(status ? { status } : {}) }));
  const setFilter = (name: string, value: string | undefined) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (value) after.set(name, value);
      else after.delete(name);
      return after;
    });

  const items = media.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = media.data?.pages[0]?.meta.total ?? 0;
  return (
    <>
      <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">Library</h1>
        {media.isSuccess ? (
          <p className="text-quiet tabular-nums" aria-live="polite">
            {formatCount(total)} {total === 1 ? 'item' : 'items'}
          </p>
        ) : null}
        <div className="flex w-full gap-2 overflow-x-auto sm:ml-auto sm:w-auto">
          <TypeChoice value={type} onChange={(value) => setFilter('type', value)} />
          <Choice label="Status" value={status} options={statuses} onChange={(value) => setFilter('status', value)} />
        </div>
      </div>
      {media.isPending ? (
        <div className={cardGrid} aria-busy="true" aria-label="Loading">
          {Array.from({ length: 12 }, (_, i) => (
            <MediaCardSkeleton key={i} />
          ))}
        </div>
      ) : null}
      {media.isError && items.length === 0 ? (
        <QueryFailure error={media.error} onRetry={() => void media.refetch()} />
      ) : null}
      {media.isSuccess && items.length === 0 ? (
        <EmptyLibrary filtered={Boolean(type ?? status)} onClear={() => setSearch({})} />
      ) : null}
      <ul className={cardGrid} aria-label="Media">
        {items.map((item) => (
          <li key={item.id}>
            <MediaCard item={item} />
          </li>
        ))}
      </ul>
      {media.hasNextPage ? (
        <LoadMore busy={media.isFetchingNextPage} onVisible={() => void media.fetchNextPage()} />
      ) : null}
    </>
  );
}

function EmptyLibrary({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <Notice
        icon={SearchX}
        title="Nothing matches these filters"
        action={<Button onClick={onClear}>Clear filters</Button>}
      >
        There is media in this workspace, but none of this kind.
      </Notice>
    );
  }
  return (
    <Notice icon={Film} title="Your library is empty" action={<UploadButton />}>
      Drop videos and photos anywhere on this page. Each is read shot by shot, and then you can search for what it shows
      and play the very seconds.
    </Notice>
  );
}

/** Asks for the next page shortly before the end of the list comes into view; a button for those who do not scroll. */
function LoadMore({ busy, onVisible }: { busy: boolean; onVisible: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (!element || busy) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onVisible(), {
      rootMargin: '600px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [busy, onVisible]);
  return (
    <div ref={ref} className="mt-6 flex justify-center">
      <Button disabled={busy} onClick={onVisible}>
        {busy ? 'Loading…' : 'Load more'}
      </Button>
    </div>
  );
}

import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../clients/typescript/api-error.ts';
import { readTrashIds, trashOptions, trashRequest } from '../api/trash.ts';
import { LibraryLink } from '../features/library/library-link.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { EmptyTrashButton } from '../features/trash/empty-trash-button.tsx';
import { TrashList } from '../features/trash/trash-list.tsx';
import { TrashSelectionBar } from '../features/trash/trash-selection-bar.tsx';
import { formatBytes, formatCount } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PanelSkeleton } from '../ui/panel.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** Deleted items, which can be restored for 30 days. */
export function TrashPage() {
  const trash = useInfiniteQuery(trashOptions);
  const { chosen, toggle, drop, selectAll, clear } = useChosen();
  if (trash.isError && !trash.data) return <TrashFailure error={trash.error} onRetry={() => void trash.refetch()} />;
  const items = trash.data?.pages.flatMap(({ data }) => data) ?? [];
  const { total = 0, storage_bytes: bytes = 0 } = trash.data?.pages[0]?.meta ?? {};
  return (
    <div className="max-w-4xl">
      <PageTitle>Trash</PageTitle>
      <div className="mb-1 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="text-xl font-semibold">Trash</h1>
        {total > 0 ? (
          <p className="text-quiet tabular-nums" aria-live="polite">
            {formatCount(total)} {total === 1 ? 'item' : 'items'} · {formatBytes(bytes)}
          </p>
        ) : null}
        <span className="ml-auto flex items-center gap-2">
          <ShowRequest of={trashRequest} />
          {total > 0 ? <EmptyTrashButton total={total} bytes={bytes} onEmptied={clear} /> : null}
        </span>
      </div>
      {trash.isPending ? <PanelSkeleton rows={4} /> : null}
      {trash.isSuccess && total === 0 ? (
        <Notice icon={Trash2} title="The trash is empty" action={<LibraryLink />}>
          What you delete stays here for 30 days, and can be restored until then.
        </Notice>
      ) : null}
      {total > 0 ? (
        <>
          <p className="mb-4 leading-relaxed text-quiet">
            Items are deleted forever after 30 days here. Until then they count for your storage and items: empty the
            trash to free them.
          </p>
          <TrashList items={items} selected={chosen} onSelect={toggle} onGone={drop} />
        </>
      ) : null}
      {trash.hasNextPage ? (
        <div className="mt-4 flex justify-center">
          <Button disabled={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
            {trash.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      ) : null}
      {chosen.size > 0 ? (
        <>
          {/* Room for the bar, so that it covers no row. */}
          <div className="h-20" />
          <TrashSelectionBar ids={[...chosen]} total={total} onSelectAll={selectAll} onClear={clear} />
        </>
      ) : null}
    </div>
  );
}

/** Which items are selected. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const all = useMutation({ mutationFn: readTrashIds, onSuccess: (ids) => setChosen(new Set(ids)) });
  return {
    chosen,
    toggle: (id: string) =>
      setChosen((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    drop: (id: string) => setChosen((before) => new Set([...before].filter((each) => each !== id))),
    selectAll: () => all.mutate(),
    clear: () => setChosen(new Set()),
  };
}

function TrashFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const missing = error instanceof ApiError && [404, 405].includes(error.status);
  if (!missing) return <QueryFailure error={error} onRetry={onRetry} />;
  return (
    <Notice page icon={Trash2} title="This server has no trash" action={<LibraryLink />}>
      What is deleted on it is deleted forever.
    </Notice>
  );
}

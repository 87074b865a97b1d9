import { useInfiniteQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { duplicatesOptions, duplicatesRequest } from '../api/copies.ts';
import { CopySearchState } from '../features/copies/copy-search-state.tsx';
import { DuplicateGroupCard } from '../features/copies/duplicate-group.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { formatCount } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PanelSkeleton } from '../ui/panel.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** Items that are the same or versions of each other, in groups. */
export function DuplicatesPage() {
  const duplicates = useInfiniteQuery(duplicatesOptions);
  if (duplicates.isError && !duplicates.data)
    return <QueryFailure error={duplicates.error} onRetry={() => void duplicates.refetch()} />;
  const groups = duplicates.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = duplicates.data?.pages[0]?.meta.total ?? 0;
  return (
    <div className="max-w-4xl">
      <PageTitle>Duplicates</PageTitle>
      <div className="mb-1 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="text-xl font-semibold">Duplicates</h1>
        {total > 0 ? (
          <p className="text-quiet tabular-nums" aria-live="polite">
            {formatCount(total)} {total === 1 ? 'group' : 'groups'}
          </p>
        ) : null}
        <span className="ml-auto">
          <ShowRequest of={duplicatesRequest} />
        </span>
      </div>
      {groups.length > 0 ? (
        <p className="mb-4 leading-relaxed text-quiet">
          The one that you keep gets the tags, collections and rating of the others, which move to the trash with their
          comments and links.
        </p>
      ) : null}
      <CopySearchState />
      {duplicates.isPending ? <PanelSkeleton rows={4} /> : null}
      {duplicates.isSuccess && groups.length === 0 ? (
        <Notice icon={Copy} title="No duplicates" action={<LibraryLink />}>
          Films and photos that are the same, or versions of each other, are shown here.
        </Notice>
      ) : null}
      <ul aria-label="Groups" className="space-y-4">
        {groups.map((group, i) => (
          <DuplicateGroupCard key={group.items.map(({ id }) => id).join()} group={group} place={i + 1} />
        ))}
      </ul>
      {duplicates.hasNextPage ? (
        <div className="mt-4 flex justify-center">
          <Button disabled={duplicates.isFetchingNextPage} onClick={() => void duplicates.fetchNextPage()}>
            {duplicates.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

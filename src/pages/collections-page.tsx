import { useQuery } from '@tanstack/react-query';
import { FolderOpen } from 'lucide-react';
import { collectionsOptions } from '../api/item-groups.ts';
import { collectionGrid, CollectionsGrid, NewCollection } from '../features/groups/collections-grid.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** All collections of the workspace. */
export function CollectionsPage() {
  const { data, isPending, isError, error, refetch } = useQuery(collectionsOptions);
  return (
    <>
      <PageTitle>Collections</PageTitle>
      <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold">Collections</h1>
        <span className="ml-auto flex gap-2">
          <ShowRequest of={collectionsOptions} />
          {data && data.length > 0 ? <NewCollection /> : null}
        </span>
      </div>
      {isPending ? (
        <div className={collectionGrid} role="status" aria-busy="true" aria-label="Loading">
          {Array.from({ length: 6 }, (_, i) => (
            <div key={i}>
              <div className="aspect-4/3 animate-pulse rounded-card bg-raised" />
              <div className="mt-2.5 h-12" />
            </div>
          ))}
        </div>
      ) : null}
      {isError && !data ? <QueryFailure error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <Notice icon={FolderOpen} title="No collections yet" action={<NewCollection />}>
          A collection holds what belongs together: a trip, a project, a selection to show. An item can be in many.
        </Notice>
      ) : null}
      {data && data.length > 0 ? <CollectionsGrid collections={data} /> : null}
    </>
  );
}

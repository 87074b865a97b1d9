import { useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { Link } from 'react-router';
import { savedSearchesOptions } from '../api/saved-searches.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { SavedSearchList } from '../features/saved-searches/saved-search-list.tsx';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PanelSkeleton } from '../ui/panel.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** All saved searches of the workspace. */
export function SavedSearchesPage() {
  const { data, isPending, isError, error, refetch } = useQuery(savedSearchesOptions);
  return (
    <>
      <PageTitle>Saved searches</PageTitle>
      <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold">Saved searches</h1>
        <span className="ml-auto">
          <ShowRequest of={savedSearchesOptions} />
        </span>
      </div>
      {isPending ? <PanelSkeleton rows={6} /> : null}
      {isError && !data ? <QueryFailure error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <Notice
          icon={Bookmark}
          title="No saved searches yet"
          action={
            <Button asChild variant="primary">
              <Link to={paths.search}>Search</Link>
            </Button>
          }
        >
          A saved search keeps a query with its filters and options. Save one beside the results of a search, or a
          filtered view of the library or the highlights.
        </Notice>
      ) : null}
      {data && data.length > 0 ? <SavedSearchList saved={data} /> : null}
    </>
  );
}

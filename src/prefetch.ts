import { QueryObserver, type QueryKey, type QueryObserverOptions } from '@tanstack/react-query';
import type { LoaderFunctionArgs } from 'react-router';
import { connection } from './api/connection.ts';
import { mediaItemOptions, mediaPageOptions, workspaceOptions } from './api/queries.ts';
import { sessionOptions } from './api/session.ts';
import { readListFilter } from './features/library/library-search.ts';
import { rememberViewed } from './lib/last-viewed.ts';
import { queryClient } from './query-client.ts';

/**
 * Begins to read what a page shows first, while the page itself loads. The page does not wait for it, and reports what fails. Needs a session,
 * which gives the key.
 */
const prefetch =
  (read: (args: LoaderFunctionArgs) => Promise<unknown>) =>
  (args: LoaderFunctionArgs): null => {
    void (async () => {
      try {
        if (connection ?? (await queryClient.ensureQueryData(sessionOptions))) await read(args);
      } catch {
        // The layout says so when the service does not answer.
      }
    })();
    return null;
  };

/**
 * It is observed until it is there: a request that the page before observes too is cancelled when that page goes, before the next one comes, and
 * would be sent twice.
 */
async function fetchObserved<Data, Shown, Key extends QueryKey>(
  options: QueryObserverOptions<Data, Error, Shown, Data, Key>,
): Promise<void> {
  const stop = new QueryObserver(queryClient, options).subscribe(() => undefined);
  await queryClient.prefetchQuery(options).finally(stop);
}

export const prefetchLibrary = prefetch(({ request, params }) =>
  fetchObserved(mediaPageOptions(readListFilter(new URL(request.url).searchParams, params['collection']), 1)),
);

const readItem = prefetch(({ params }) => queryClient.prefetchQuery(mediaItemOptions(params['id'] ?? '')));

export function prefetchItem(args: LoaderFunctionArgs): null {
  rememberViewed(args.params['id'] ?? '');
  return readItem(args);
}

export const prefetchWorkspace = prefetch(() => queryClient.prefetchQuery(workspaceOptions));

import type { FastifyBaseLogger } from 'fastify';
import { startMatching } from '../messaging/saved-matches/start-matching.ts';
import { embedImageQuery } from '../search/query-images/embed-image-query.ts';
import type { Settings } from '../settings.ts';
import type { Storage } from './open-storage.ts';
import type { SearchServices } from './start-search.ts';

type Parts = Pick<SearchServices, 'search' | 'queryPool'> & {
  settings: Pick<Settings, 'allowedAddresses'>;
  storage: Storage;
  log: FastifyBaseLogger;
};

/**
 * Has this process compare new items with saved searches.
 * @param stack stops it
 */
export function matchNewItems(
  { search, queryPool, settings: { allowedAddresses }, storage: { db, assets }, log }: Parts,
  stack: AsyncDisposableStack,
): void {
  const dependencies = { db, assets, queryPool, outbound: { allowedAddresses } };
  const matching = startMatching({
    db,
    search,
    embedLike: (context, like) => embedImageQuery(dependencies, context, { ...like, kind: 'media' }),
    log,
  });
  stack.defer(() => matching.stop());
}

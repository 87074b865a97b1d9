import { sql } from 'kysely';
import { maxNotifying, maxSavedSearches } from '../../contract/saved-searches.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Ask } from './ask-for-groups.ts';
import { validRequests } from './valid-requests.ts';

/** Provokes what the operations of saved searches answer, up to their limit. */
export async function askForSavedSearches(ask: Ask, db: Catalog, workspaceId: string): Promise<void> {
  const body = { name: 'Ferries', page: 'search', parameters: { q: 'ferry', type: 'video' } };
  const saved = await ask('createSavedSearch', { json: body });
  await ask('createSavedSearch', { json: { ...body, name: 'FERRIES' } }, 409);
  await ask('createSavedSearch', { json: { ...body, name: 'Dogs' } });
  await ask('listSavedSearches', {});
  await ask('getSavedSearch', { id: saved.id });
  await ask('updateSavedSearch', { id: saved.id, json: { name: 'dogs' } }, 409);
  await ask('updateSavedSearch', { id: saved.id, json: { name: 'Ships' } });
  const add = (count: number, since: string | null) =>
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into saved_searches (workspace_id, id, name, folded_name, page, query, created_at, notify_since)
      select ${workspaceId}, 'x' || i || ${since ?? ''}, i, i || ${since ?? ''}, 'search', '{}', 'now', ${since} from n`.execute(
      db,
    );
  await add(maxNotifying, 'now');
  await ask('updateSavedSearch', { id: saved.id, json: { notify: true } }, 403);
  await ask('deleteSavedSearch', { id: saved.id });
  await add(maxSavedSearches, null);
  await ask('createSavedSearch', validRequests.createSavedSearch ?? {}, 403);
}

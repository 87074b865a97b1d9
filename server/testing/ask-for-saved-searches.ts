import { sql } from 'kysely';
import { maxSavedSearches } from '../../contract/saved-searches.ts';
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
  await ask('renameSavedSearch', { id: saved.id, json: { name: 'dogs' } }, 409);
  await ask('renameSavedSearch', { id: saved.id, json: { name: 'Ships' } });
  await ask('deleteSavedSearch', { id: saved.id });
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${maxSavedSearches})
    insert into saved_searches select ${workspaceId}, 'x' || i, i, i, 'search', '{}', 'now' from n`.execute(db);
  await ask('createSavedSearch', validRequests.createSavedSearch ?? {}, 403);
}

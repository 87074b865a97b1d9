import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { maxSources } from '../../contract/sources.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Ask } from './ask-for-groups.ts';
import { validRequests } from './valid-requests.ts';

/** Provokes what the operations of sources answer, up to their limit. @param root a folder that the service allows sources in; this makes it */
export async function askForSources(ask: Ask, db: Catalog, workspaceId: string, root: string): Promise<void> {
  const location = path.join(root, 'nas');
  await mkdir(location, { recursive: true });
  const body = { name: 'NAS', location };
  const { id } = await ask('createSource', { json: body, headers: { 'Idempotency-Key': 'source' } });
  await ask('createSource', { json: { ...body, name: 'Other' }, headers: { 'Idempotency-Key': 'source' } }, 422);
  await ask('createSource', { json: body }, 409);
  // Outside the roots, and not there: the same answer.
  for (const other of ['/', path.join(root, 'nowhere')]) await ask('createSource', { json: { location: other } }, 400);
  for (const list of ['listSources', 'listSourceRoots', 'getPathMappings'] as const) await ask(list, {});
  for (const one of ['getSource', 'listSourceFolders', 'listSourceFiles', 'scanSource'] as const) {
    await ask(one, { ...validRequests[one], id });
  }
  await ask('setPathMappings', validRequests.setPathMappings ?? {});
  await ask('updateSource', { id, json: { paused: true } });
  await ask('scanSource', { ...validRequests.scanSource, id }, 409);
  await add(db, workspaceId, { count: 1, managed: 1 });
  const [managed] = await db.selectFrom('sources').select('id').where('managed', '=', 1).execute();
  for (const change of ['updateSource', 'deleteSource'] as const) {
    await ask(change, { ...validRequests[change], id: managed?.id ?? '' }, 403);
  }
  await ask('updateSource', { id, json: { name: 'x1' } }, 409);
  await add(db, workspaceId, { count: maxSources, managed: 0 });
  await mkdir(path.join(root, 'more'));
  await ask('createSource', { json: { location: path.join(root, 'more') } }, 403);
  await ask('deleteSource', { id });
}

/** Adds paused sources by SQL: nothing looks for their folders. */
const add = (db: Catalog, workspaceId: string, { count, managed }: { count: number; managed: number }) =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into sources (workspace_id, id, name, kind, location, include, exclude, managed, paused, created_at, updated_at)
    select ${workspaceId}, ${`00000000-0000-7000-800${managed}-`} || substr('000000000000' || i, -12), ${managed === 1 ? 'x' : 'xy'} || i,
      'folder', ${`/x${managed}`} || i, '[]', '[]', ${managed}, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`.execute(
    db,
  );

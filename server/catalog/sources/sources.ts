import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import {
  maxSources,
  type PathMapping,
  type SourceBody,
  type SourceChanges,
  type SourcesQuery,
} from '../../../contract/sources.ts';
import { normaliseName } from '../labels/normalise-name.ts';
import { deleteMedia } from '../media/media-items.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { holdJobs, resumeJobs } from './held-jobs.ts';

export type SourceRow = Selectable<Database['sources']>;

const sourcesOf = (db: Catalog, workspaceId: string) =>
  db.selectFrom('sources').where('workspace_id', '=', workspaceId);

/** One page of the sources of a workspace by name, and how many there are. */
export async function listSources(
  db: Catalog,
  workspaceId: string,
  { page, per_page, q }: SourcesQuery,
): Promise<{ rows: SourceRow[]; total: number }> {
  const all = await sourcesOf(db, workspaceId)
    .selectAll()
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .execute();
  const rows = all.filter(({ name }) => q === undefined || normaliseName(name).includes(normaliseName(q)));
  return { rows: rows.slice((page - 1) * per_page, page * per_page), total: rows.length };
}

/** All sources of all workspaces. */
export const listAllSources = (db: Catalog): Promise<SourceRow[]> =>
  db.selectFrom('sources').selectAll().orderBy('workspace_id').orderBy('id').execute();

export const findSource = (db: Catalog, workspaceId: string, id: string): Promise<SourceRow | undefined> =>
  sourcesOf(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst();

/** Where a source is, and whether it is to be reached. */
export type SourcePlace = Pick<SourceRow, 'id' | 'name' | 'location' | 'offline_since'>;

/** Where the sources of a workspace are, by identifier. */
export async function readSourcePlaces(db: Catalog, workspaceId: string): Promise<Map<string, SourcePlace>> {
  const rows = await sourcesOf(db, workspaceId).select(['id', 'name', 'location', 'offline_since']).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

type NewSource = SourceBody & { name: string; kind: SourceRow['kind']; managed: boolean };

/** Whether the original of an item is away with its source. */
export async function isSourceOffline(
  db: Catalog,
  { workspace_id, source_id }: { workspace_id: string; source_id: string | null },
): Promise<boolean> {
  const source = source_id === null ? undefined : await findSource(db, workspace_id, source_id);
  return source !== undefined && source.offline_since !== null;
}

/** Adds a source. `taken`: one has this name or this location; `full`: there are as many as there may be. */
export function addSource(
  db: Catalog,
  workspaceId: string,
  { name, kind, location, include, exclude, managed }: NewSource,
): Promise<SourceRow | 'taken' | 'full'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const all = await sourcesOf(transaction, workspaceId).select(['name', 'location']).execute();
    if (all.some((other) => other.name === name || other.location === location)) return 'taken';
    if (all.length >= maxSources) return 'full';
    const now = new Date().toISOString();
    return transaction
      .insertInto('sources')
      .values({
        workspace_id: workspaceId,
        id: randomUUIDv7(),
        name,
        kind,
        location,
        include: JSON.stringify(include),
        exclude: JSON.stringify(exclude),
        managed: managed ? 1 : 0,
        scan_wanted_at: now,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Changes some columns of a source. */
export async function setSource(
  db: Catalog,
  { workspace_id, id }: Pick<SourceRow, 'workspace_id' | 'id'>,
  columns: Partial<Omit<SourceRow, 'workspace_id' | 'id' | 'created_at'>>,
): Promise<void> {
  await db.updateTable('sources').set(columns).where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
}

/** Changes what people say of a source; a scan follows where it takes other files then. `taken`: another has this name. */
export function changeSource(
  db: Catalog,
  workspaceId: string,
  id: string,
  { name, include, exclude, paused }: SourceChanges,
): Promise<SourceRow | 'taken' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const row = await findSource(transaction, workspaceId, id);
    if (!row) return undefined;
    if (name !== undefined) {
      const same = await sourcesOf(transaction, workspaceId).select('id').where('name', '=', name).executeTakeFirst();
      if (same && same.id !== id) return 'taken';
    }
    const now = new Date().toISOString();
    const isOther = include !== undefined || exclude !== undefined || paused === false;
    await setSource(transaction, row, {
      ...(name !== undefined && { name }),
      ...(include && { include: JSON.stringify(include) }),
      ...(exclude && { exclude: JSON.stringify(exclude) }),
      ...(paused !== undefined && { paused: paused ? 1 : 0 }),
      ...(isOther && { scan_wanted_at: now }),
      updated_at: now,
    });
    if (paused === true) await holdJobs(transaction, row);
    if (paused === false && row.offline_since === null) await resumeJobs(transaction, row);
    return findSource(transaction, workspaceId, id);
  });
}

/** Asks for a scan. @param acceptsMissing whether what is not there then is taken as deleted, however much it is */
export const wantScan = (
  db: Catalog,
  source: Pick<SourceRow, 'workspace_id' | 'id'>,
  acceptsMissing: boolean,
): Promise<void> =>
  setSource(db, source, {
    scan_wanted_at: new Date().toISOString(),
    ...(acceptsMissing && { accepts_missing: 1 }),
  });

/**
 * Begins a scan: it does what was asked for until now, and what is asked for from now on is for the next.
 * @returns the source as it was then; undefined: it is paused or being removed meanwhile
 */
export const beginScan = (
  db: Catalog,
  { workspace_id, id }: Pick<SourceRow, 'workspace_id' | 'id'>,
): Promise<SourceRow | undefined> =>
  inWorkspace(db, workspace_id, async (transaction) => {
    const row = await findSource(transaction, workspace_id, id);
    if (!row || !isScanned(row)) return undefined;
    await setSource(transaction, row, { scan_wanted_at: null, accepts_missing: 0 });
    return row;
  });

/** Whether a source may be scanned. */
export const isScanned = ({ paused, removed_at }: SourceRow): boolean => paused === 0 && removed_at === null;

/** Deletes the next items of a source that is being removed, and the source after the last. @returns whether some may be left */
export async function removeSomeItems(
  db: Catalog,
  { workspace_id, id }: Pick<SourceRow, 'workspace_id' | 'id'>,
  limit: number,
  onDeleted: (item: { workspace_id: string; id: string }) => Promise<void>,
): Promise<boolean> {
  const items = await db
    .selectFrom('media_items')
    .select(['workspace_id', 'id'])
    .where('workspace_id', '=', workspace_id)
    .where('source_id', '=', id)
    .limit(limit)
    .execute();
  for (const item of items) if (await deleteMedia(db, workspace_id, item.id)) await onDeleted(item);
  if (items.length > 0) return true;
  await db.deleteFrom('source_files').where('workspace_id', '=', workspace_id).where('source_id', '=', id).execute();
  await db.deleteFrom('sources').where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
  return false;
}

/** How many items of a source have each status, without the trash. */
export async function countSourceItems(db: Catalog, workspaceId: string): Promise<Map<string, Record<string, number>>> {
  const rows = await db
    .selectFrom('media_items')
    .select((e) => ['source_id', 'status', e.fn.countAll<number>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('source_id', 'is not', null)
    .where('trashed_at', 'is', null)
    .groupBy(['source_id', 'status'])
    .execute();
  const counts = new Map<string, Record<string, number>>();
  for (const { source_id, status, count } of rows)
    counts.set(source_id ?? '', { ...counts.get(source_id ?? ''), [status]: count });
  return counts;
}

/** How many items of each source were indexed since a time, RFC 3339: by it the time that is left is estimated. */
export async function countIndexedSince(db: Catalog, workspaceId: string, since: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('media_items')
    .select((e) => ['source_id', e.fn.countAll<number>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('source_id', 'is not', null)
    .where('indexed_at', '>', since)
    .groupBy('source_id')
    .execute();
  return new Map(rows.map(({ source_id, count }) => [source_id ?? '', count]));
}

/** How other machines name the folders of sources. */
export async function readPathMappings(db: Catalog, workspaceId: string): Promise<PathMapping[]> {
  const row = await db
    .selectFrom('workspaces')
    .select('path_mappings')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return JSON.parse(row.path_mappings) as PathMapping[];
}

export async function writePathMappings(db: Catalog, workspaceId: string, mappings: PathMapping[]): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ path_mappings: JSON.stringify(mappings) })
    .where('id', '=', workspaceId)
    .execute();
}

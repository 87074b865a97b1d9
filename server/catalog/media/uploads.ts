import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { maxOpenUploads, emptyUploadHours, uploadHours } from '../../../contract/uploads.ts';
import { type QuotaViolation, readReserved, readUploadRoom } from '../accounts/quota.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { isFree, isHeld, leaseEnd, leaseTo, noLease } from '../queue/leases.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { findMediaByChecksum } from './media-items.ts';
import { restoreFromTrash } from './trash.ts';

/**
 * Uploads that arrive in parts. The row is the truth: bytes beyond `received` are none. One request at a time writes to an upload, the `writer`,
 * and holds a lease that it renews; what it stores is stored only while it is still the writer.
 */

export type UploadRow = Selectable<Database['uploads']>;

/** How many uploads of a workspace are kept that have ended, for clients that lost the answer: no limit of a plan counts them. */
const maxEnded = 1000;

export type NewUpload = Pick<
  UploadRow,
  'workspace_id' | 'filename' | 'length' | 'metadata' | 'labels' | 'sha256' | 'created_by'
>;

export type CreatedUpload = { row: UploadRow } | { violation: QuotaViolation } | 'too many';

/**
 * Begins an upload, for which the plan has to have room. Where the workspace has an item with the checksum and the length that it names, the
 * upload has ended when it begins, and the item comes back from the trash.
 * @param storeWithUpload what has to be stored in the same transaction
 */
export function createUpload(
  db: Catalog,
  upload: NewUpload,
  storeWithUpload: (transaction: Catalog, row: UploadRow) => Promise<void>,
): Promise<CreatedUpload> {
  const { workspace_id } = upload;
  return inWorkspace(db, workspace_id, async (transaction) => {
    const existing =
      upload.sha256 === null ? undefined : await findMediaByChecksum(transaction, workspace_id, upload.sha256);
    const isHere = existing?.size === upload.length && existing.original_problem === null;
    if (isHere && existing.trashed_at !== null) await restoreFromTrash(transaction, workspace_id, [existing.id]);
    if (!isHere) {
      if ((await readReserved(transaction, workspace_id)).items >= maxOpenUploads) return 'too many';
      const violation = (await readUploadRoom(transaction, workspace_id)).findViolation(upload.length);
      if (violation) return { violation };
    }
    await forgetOldest(transaction, workspace_id);
    const now = new Date().toISOString();
    const row = await transaction
      .insertInto('uploads')
      .values({
        ...upload,
        id: randomUUIDv7(),
        item_id: randomUUIDv7(),
        created_at: now,
        ...(isHere
          ? {
              received: upload.length,
              media_id: existing.id,
              duplicate: 1,
              ended_at: now,
              expires_at: keptUntil(transaction),
            }
          : { expires_at: dialectOf(transaction).timeIn(emptyUploadHours * 3600) }),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await storeWithUpload(transaction, row);
    return { row };
  });
}

/** Forgets uploads that have ended and are too many, those first that ended first: the client of one that took long may still ask. */
async function forgetOldest(db: Catalog, workspaceId: string): Promise<void> {
  const ended = db.selectFrom('uploads').where('workspace_id', '=', workspaceId).where('ended_at', 'is not', null);
  const last = await ended
    .select(['ended_at', 'id'])
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(maxEnded)
    .executeTakeFirst();
  if (!last) return;
  await db
    .deleteFrom('uploads')
    .where('workspace_id', '=', workspaceId)
    .where((e) =>
      e.or([e('ended_at', '<', last.ended_at), e.and([e('ended_at', '=', last.ended_at), e('id', '<=', last.id)])]),
    )
    .execute();
}

const keptUntil = (db: Catalog) => dialectOf(db).timeIn(uploadHours * 3600);

const selectUpload = (db: Catalog, workspaceId: string, id: string) =>
  db.selectFrom('uploads').where('workspace_id', '=', workspaceId).where('id', '=', id);

/** An upload that has not expired. */
export const findUpload = (db: Catalog, workspaceId: string, id: string): Promise<UploadRow | undefined> =>
  selectUpload(db, workspaceId, id).selectAll().where('expires_at', '>', dialectOf(db).timeIn(0)).executeTakeFirst();

/** An open upload, with what a list shows of it besides. */
export type ListedUpload = Pick<
  UploadRow,
  'id' | 'filename' | 'length' | 'received' | 'created_by' | 'created_at' | 'expires_at'
> & {
  /** 1: a request sends to it now. */
  sending: number;
  /** The name of `created_by`. */
  person: string | null;
};

/** One page of a workspace's open uploads, the newest first. How many there are on all pages `readReserved` says. */
export const listOpenUploads = (
  db: Catalog,
  workspaceId: string,
  { page, per_page }: { page: number; per_page: number },
): Promise<ListedUpload[]> =>
  db
    .selectFrom(
      db
        .selectFrom('uploads')
        .select(['id', 'filename', 'length', 'received', 'created_by', 'created_at', 'expires_at'])
        .select((e) => e.case().when(isHeld(db, 'uploads')).then(sql.lit(1)).else(sql.lit(0)).end().as('sending'))
        .where('workspace_id', '=', workspaceId)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', dialectOf(db).timeIn(0))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(per_page)
        .offset((page - 1) * per_page)
        .as('open'),
    )
    .leftJoin('people', 'people.id', 'open.created_by')
    .selectAll('open')
    .select('people.name as person')
    .orderBy('open.created_at', 'desc')
    .orderBy('open.id', 'desc')
    .execute();

const updateUpload = (db: Catalog, workspaceId: string, id: string) =>
  db.updateTable('uploads').where('workspace_id', '=', workspaceId).where('id', '=', id);

/**
 * Makes a request the writer of an upload that has not expired, and does not while the lease lasts.
 * @param writer random, of this request
 * @returns undefined while another one writes, or a later request waits
 */
export const takeUpload = (
  db: Catalog,
  workspaceId: string,
  id: string,
  writer: string,
): Promise<UploadRow | undefined> =>
  updateUpload(db, workspaceId, id)
    .set((e) => {
      const lease = leaseTo(db, 'uploads', writer);
      const until = lease.lease_until;
      const expiresAt = e.case().when('expires_at', '<', until).then(until).else(e.ref('expires_at')).end();
      return { ...lease, wanted_by: null, expires_at: expiresAt };
    })
    // What has arrived whole can be ended, however long the service did not run.
    .where((e) =>
      e.or([
        e('expires_at', '>', dialectOf(db).timeIn(0)),
        e.and([e('received', '=', e.ref('length')), e('ended_at', 'is', null)]),
      ]),
    )
    .where(isFree(db, 'uploads'))
    .where((e) => e.or([e('wanted_by', 'is', null), e('wanted_by', '=', writer)]))
    .returningAll()
    .executeTakeFirst();

/** Asks the request that writes to an upload to end, and those that wait for it to give up. */
export async function wantUpload(db: Catalog, workspaceId: string, id: string, writer: string): Promise<void> {
  await updateUpload(db, workspaceId, id).set({ wanted_by: writer }).execute();
}

/** Which request writes to an upload, and which one wants to. Undefined when there is no such upload. */
export const findWriters = (
  db: Catalog,
  workspaceId: string,
  id: string,
): Promise<Pick<UploadRow, 'lease_owner' | 'wanted_by'> | undefined> =>
  selectUpload(db, workspaceId, id).select(['lease_owner', 'wanted_by']).executeTakeFirst();

type Held = { workspace_id: string; id: string; lease_owner: string };

const updateHeld = (db: Catalog, { workspace_id, id, lease_owner }: Held) =>
  updateUpload(db, workspace_id, id).where('lease_owner', '=', lease_owner);

/**
 * Keeps an upload, which does not expire meanwhile.
 * @returns which other request wants it, and how far it has come; undefined when it is another's already
 */
export const renewUpload = (db: Catalog, held: Held): Promise<Pick<UploadRow, 'wanted_by' | 'received'> | undefined> =>
  updateHeld(db, held)
    .set({ lease_until: leaseEnd(db, 'uploads'), expires_at: keptUntil(db) })
    .returning(['wanted_by', 'received'])
    .executeTakeFirst();

/** Lets others write. */
export async function releaseUpload(db: Catalog, held: Held): Promise<void> {
  await updateHeld(db, held).set(noLease).execute();
}

/** Lets others write to all uploads; the last writer stays noted, for `listInterruptedEnds`. Single process: that writer has ended. */
export async function releaseAllUploads(db: Catalog): Promise<void> {
  const past = dialectOf(db).timeIn(-1);
  await db.updateTable('uploads').set({ wanted_by: null }).execute();
  await db.updateTable('uploads').set({ lease_until: past }).where('lease_owner', 'is not', null).execute();
}

/** Stores how far an upload has come. @returns the row; undefined when another request writes */
export const saveProgress = (
  db: Catalog,
  held: Held,
  progress: Pick<UploadRow, 'received' | 'hash_state' | 'stored'>,
): Promise<UploadRow | undefined> =>
  updateHeld(db, held)
    .set({ ...progress, expires_at: keptUntil(db) })
    .returningAll()
    .executeTakeFirst();

/**
 * Ends an upload, in the transaction that stores its item; of a refused one by itself. What it reserved is free, and its row is kept, so that a
 * client that lost the answer can ask. @returns false when another request writes
 */
export async function endUpload(
  db: Catalog,
  held: Held,
  outcome: { media_id: string; duplicate: boolean } | { error: string },
): Promise<boolean> {
  const ended = await updateHeld(db, held)
    .set({
      ...('error' in outcome
        ? { error: outcome.error }
        : { media_id: outcome.media_id, duplicate: outcome.duplicate ? 1 : 0 }),
      hash_state: null,
      stored: null,
      ended_at: new Date().toISOString(),
      expires_at: keptUntil(db),
    })
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

export async function deleteUpload(db: Catalog, workspaceId: string, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Forgets all uploads: in a copy of a catalog, which has none of their files. */
export async function deleteAllUploads(db: Catalog): Promise<void> {
  await db.deleteFrom('uploads').execute();
}

/** Uploads that have expired, but those that a request took before and still writes to. Nobody writes to the others, and nobody can. */
export const listExpiredUploads = (db: Catalog, limit: number): Promise<UploadRow[]> =>
  db
    .selectFrom('uploads')
    .selectAll()
    .where('expires_at', '<=', dialectOf(db).timeIn(0))
    .where(isFree(db, 'uploads'))
    .orderBy('expires_at')
    .limit(limit)
    .execute();

/** Uploads that have not ended, as far as files go: others have none of their own. */
const selectOpen = (db: Catalog) =>
  db.selectFrom('uploads').select(['workspace_id', 'id', 'item_id']).where('ended_at', 'is', null);

type InWorkspace = { workspace_id: string; id: string };

function isAmong(found: InWorkspace[]): (one: InWorkspace) => boolean {
  const keys = new Set(found.map(({ workspace_id, id }) => `${workspace_id}/${id}`));
  return ({ workspace_id, id }) => keys.has(`${workspace_id}/${id}`);
}

const itemsOf = (uploads: { workspace_id: string; item_id: string }[]): InWorkspace[] =>
  uploads.map(({ workspace_id, item_id }) => ({ workspace_id, id: item_id }));

/** Which uploads have not ended. @returns whether one is among them */
export const findOpenUploads = async (db: Catalog): Promise<(upload: InWorkspace) => boolean> =>
  isAmong(await selectOpen(db).execute());

/** Which items may still arrive, in parts that a bucket holds. @returns whether an item is among them */
export const findExpectedItems = async (db: Catalog): Promise<(item: InWorkspace) => boolean> =>
  isAmong(itemsOf(await selectOpen(db).execute()));

/**
 * Which items have arrived whole and have no row yet, because the end of their upload was interrupted. One that has not arrived whole has no
 * original: where there is one, the catalog is older than it, and does not know what became of the upload.
 * @returns whether an item is among them
 */
export const findUploadedItems = async (db: Catalog): Promise<(item: InWorkspace) => boolean> =>
  isAmong(itemsOf(await selectOpen(db).whereRef('received', '=', 'length').execute()));

/**
 * Uploads that have arrived whole and that a process was about to end when it was killed: it holds their lease no longer, and has not given it back.
 * Other failures were told to the client, who goes on with the upload; after a revoked key only a client with another key may.
 */
export const listInterruptedEnds = (db: Catalog): Promise<InWorkspace[]> =>
  db
    .selectFrom('uploads')
    .select(['workspace_id', 'id'])
    .where('ended_at', 'is', null)
    .whereRef('received', '=', 'length')
    .where('lease_owner', 'is not', null)
    .where(isFree(db, 'uploads'))
    .execute();

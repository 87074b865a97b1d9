import { randomUUIDv7 } from 'node:crypto';
import type { UploadFields } from '../../contract/media.ts';
import { ApiError, countLimitError, quotaExceededError, unknownLabelsError } from '../api-error.ts';
import type { AssetStore } from '../assets/asset-store.ts';
import { checkLength } from '../assets/check-original.ts';
import { findGroup, groupNewItem } from '../catalog/item-groups.ts';
import { findUnknownLabels } from '../catalog/labels.ts';
import {
  addMedia,
  type AddedMedia,
  findMedia,
  findMediaByChecksum,
  findStoredMedia,
  type MediaRow,
} from '../catalog/media-items.ts';
import { recordOriginalCheck } from '../catalog/original-checks.ts';
import type { Catalog } from '../catalog/schema.ts';
import { inWorkspace } from '../catalog/transactions.ts';
import { restoreFromTrash } from '../catalog/trash.ts';
import { acceptedMedia, detectMediaType } from '../media/detect-media-type.ts';
import { classifySystemError, hasErrorCode } from '../storage/system-errors.ts';

/** A received file: its path, the file name from the client, its size in bytes and its SHA-256 checksum. */
export type UploadedFile = { path: string; filename: string; size: number; sha256: string };

/** `duplicate`: the workspace had an item with these bytes already, and this is it. */
export type StoredMedia = { row: MediaRow; duplicate: boolean };

/**
 * Stores a received file as an item of a workspace. File and row are durable when this returns.
 * @param storeWithItem what has to be stored in the same transaction
 * Throws `validation_error`, `unsupported_media_type` and `quota_exceeded`.
 */
export async function storeMedia(
  { db, assets }: { db: Catalog; assets: AssetStore },
  workspaceId: string,
  file: UploadedFile,
  labels: UploadFields,
  storeWithItem: (transaction: Catalog, stored: StoredMedia) => Promise<void>,
): Promise<StoredMedia> {
  const unknown = await findUnknownLabels(db, workspaceId, labels);
  if (unknown.length > 0) throw unknownLabelsError(unknown);
  const { collection_id: collectionId } = labels;
  if (collectionId !== undefined && !(await findGroup(db, 'collections', workspaceId, collectionId)))
    throw unknownLabelsError(['collection_id']);
  const existing = await findMediaByChecksum(db, workspaceId, file.sha256);
  if (existing) {
    const row = await restoreOriginal({ db, assets }, existing, file);
    if (row.trashed_at !== null) return takeOutOfTrash(db, row, storeWithItem);
    const stored = { row, duplicate: true };
    await storeWithItem(db, stored);
    return stored;
  }
  const detected = await detectMediaType(file.path);
  if (!detected) {
    throw new ApiError('unsupported_media_type', `${file.filename} is no video or image. Accepted: ${acceptedMedia}.`);
  }
  const media = {
    workspace_id: workspaceId,
    id: randomUUIDv7(),
    filename: file.filename,
    type: detected.type,
    mime_type: detected.mimeType,
    size: file.size,
    sha256: file.sha256,
    creator_id: labels.creator_id ?? null,
    category_id: labels.category_id ?? null,
  };
  let added: AddedMedia;
  try {
    await assets.putOriginal(file.path, media);
    added = await addMedia(db, media, async (transaction, row) => {
      const duplicate = row.id !== media.id;
      if (!duplicate) rejectProblem(await groupNewItem(transaction, row, labels));
      await storeWithItem(transaction, { row, duplicate });
    });
  } catch (error) {
    // What cannot be removed now goes to lost+found at the next start.
    if (!mayBeCommitted(error)) await assets.remove(media).catch(() => undefined);
    throw error;
  }
  // Refused after all, or the same bytes came in twice at once and the other request was first.
  if (added.kind !== 'added') await assets.remove(media);
  if (added.kind === 'excess') throw quotaExceededError(added.violation);
  if (added.kind === 'unknown labels') throw unknownLabelsError(added.fields);
  return { row: added.row, duplicate: added.kind === 'duplicate' };
}

function rejectProblem(problem: Awaited<ReturnType<typeof groupNewItem>>): void {
  if (problem === 'no collection') throw unknownLabelsError(['collection_id']);
  if (problem === 'too many tags') throw countLimitError('tags');
}

/** An item in the trash whose bytes are uploaded again is wanted again. */
function takeOutOfTrash(
  db: Catalog,
  { workspace_id, id }: MediaRow,
  storeWithItem: (transaction: Catalog, stored: StoredMedia) => Promise<void>,
): Promise<StoredMedia> {
  return inWorkspace(db, workspace_id, async (transaction) => {
    await restoreFromTrash(transaction, workspace_id, [id]);
    const row = await findMedia(transaction, workspace_id, id);
    if (!row) throw deletedMeanwhileError();
    const stored = { row, duplicate: true };
    await storeWithItem(transaction, stored);
    return stored;
  });
}

const deletedMeanwhileError = () =>
  new ApiError('unavailable', 'The item with these bytes was deleted meanwhile. Send the file again.', {
    headers: { 'Retry-After': '1' },
  });

/**
 * Whether a failed transaction may turn out to be stored: a commit that could not be synced may have reached the disk, and the connection may
 * have broken after the database had committed.
 */
function mayBeCommitted(error: unknown): boolean {
  const failure = classifySystemError(error);
  return failure === 'database_away' || (failure === 'io' && !hasErrorCode(error, 'EIO'));
}

/** Restores the lost or damaged original of an item from the same bytes, which were just uploaded. */
async function restoreOriginal(
  { db, assets }: { db: Catalog; assets: AssetStore },
  media: MediaRow,
  file: UploadedFile,
): Promise<MediaRow> {
  if (!media.original_problem && !(await checkLength(assets, media))) return media;
  await assets.putOriginal(file.path, media);
  await recordOriginalCheck(db, media, null);
  const row = await findStoredMedia(db, media.workspace_id, media.id);
  if (row) return row;
  await assets.remove(media);
  throw deletedMeanwhileError();
}

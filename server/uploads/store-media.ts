import { randomUUIDv7 } from 'node:crypto';
import { acceptedMedia, detectMediaType } from '@media-search/media/detect-media-type';
import type { UploadFields } from '../../contract/media.ts';
import type { AssetOwner, AssetStore } from '../assets/asset-store.ts';
import { checkLength } from '../assets/check-original.ts';
import { quotaExceededError } from '../catalog/accounts/quota.ts';
import { findGroup, groupNewItem } from '../catalog/labels/item-groups.ts';
import { findUnknownLabels } from '../catalog/labels/labels.ts';
import {
  addMedia,
  type AddedMedia,
  findMedia,
  findMediaByChecksum,
  findStoredMedia,
  type MediaRow,
} from '../catalog/media/media-items.ts';
import { recordOriginalCheck } from '../catalog/media/original-checks.ts';
import { restoreFromTrash } from '../catalog/media/trash.ts';
import type { Catalog } from '../catalog/schema.ts';
import { inWorkspace } from '../catalog/transactions.ts';
import { ApiError, countLimitError, unknownLabelsError } from '../errors/api-error.ts';
import { classifySystemError, hasErrorCode } from '../errors/system-errors.ts';
import { takeBack } from './media-removal.ts';

/** What is known of a received file: the file name from the client, its size in bytes and its SHA-256 checksum. */
type FileAbout = { filename: string; size: number; sha256: string };

/** A received file in a scratch folder. */
export type UploadedFile = FileAbout & { path: string };

/** A received file, wherever it is. */
export type ReceivedFile = FileAbout & {
  /** The identifier of the item that it becomes. */
  itemId: string;
  /** The upload that reserved room for it; null: none did. Its labels were checked when it began, and those deleted since are left out. */
  uploadId: string | null;
  detectType(): ReturnType<typeof detectMediaType>;
  /** Makes it the original of its item, or of another one that has lost its own. */
  putOriginal(owner: AssetOwner): Promise<void>;
  /** Takes back the original of its item, which nothing names. */
  takeBack(owner: AssetOwner): Promise<void>;
};

/** @returns a file of a scratch folder, which is moved away */
const fromScratch = (
  { db, assets }: { db: Catalog; assets: AssetStore },
  { path, ...about }: UploadedFile,
): ReceivedFile => ({
  ...about,
  itemId: randomUUIDv7(),
  uploadId: null,
  detectType: () => detectMediaType(path),
  putOriginal: ({ workspace_id, id }) => assets.putOriginal(path, { ...about, workspace_id, id }),
  takeBack: (owner) => takeBack({ db, assets }, owner),
});

/** `duplicate`: the workspace had an item with these bytes already, and this is it. */
export type StoredMedia = { row: MediaRow; duplicate: boolean };

/**
 * Throws `validation_error` when a workspace does not have all labels that a new item is to have. It is called before the bytes of a file are
 * received or stored; the transaction that stores the item checks the labels again.
 * @param place of the labels in the request
 */
export async function checkLabels(
  db: Catalog,
  workspaceId: string,
  labels: UploadFields,
  place = 'body',
): Promise<void> {
  const { collection_id: collectionId } = labels;
  const isMissing = collectionId !== undefined && !(await findGroup(db, 'collections', workspaceId, collectionId));
  const unknown = [
    ...(await findUnknownLabels(db, workspaceId, labels)),
    ...(isMissing ? ['collection_id' as const] : []),
  ];
  if (unknown.length > 0) throw unknownLabelsError(unknown, place);
}

/** Stores a file of a scratch folder as an item of a workspace; see `storeReceived`. */
export const storeMedia = (
  { db, assets }: { db: Catalog; assets: AssetStore },
  workspaceId: string,
  file: UploadedFile,
  labels: UploadFields,
  storeWithItem: (transaction: Catalog, stored: StoredMedia) => Promise<void>,
): Promise<StoredMedia> =>
  storeReceived({ db, assets }, workspaceId, fromScratch({ db, assets }, file), labels, storeWithItem);

/**
 * Stores a received file as an item of a workspace. File and row are durable when this returns.
 * @param storeWithItem what has to be stored in the same transaction
 * Throws `validation_error`, `unsupported_media_type` and `quota_exceeded`.
 */
export async function storeReceived(
  { db, assets }: { db: Catalog; assets: AssetStore },
  workspaceId: string,
  file: ReceivedFile,
  labels: UploadFields,
  storeWithItem: (transaction: Catalog, stored: StoredMedia) => Promise<void>,
): Promise<StoredMedia> {
  // The transaction asks again: here a known file is spared the detection of its type and a second original.
  const existing = await findMediaByChecksum(db, workspaceId, file.sha256);
  if (existing) {
    const row = await restoreOriginal({ db, assets }, existing, file);
    if (row.trashed_at !== null) return takeOutOfTrash(db, row, storeWithItem);
    const stored = { row, duplicate: true };
    await storeWithItem(db, stored);
    return stored;
  }
  const detected = await file.detectType();
  if (!detected) {
    throw new ApiError('unsupported_media_type', `This file is no video, image or sound. Accepted: ${acceptedMedia}.`);
  }
  const media = {
    workspace_id: workspaceId,
    id: file.itemId,
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
    await file.putOriginal(media);
    added = await addMedia(
      db,
      media,
      async (transaction, row) => {
        const duplicate = row.id !== media.id;
        const problem = duplicate ? null : await groupNewItem(transaction, row, labels);
        if (file.uploadId === null) rejectProblem(problem);
        await storeWithItem(transaction, { row, duplicate });
      },
      file.uploadId,
    );
  } catch (error) {
    // What cannot be removed now goes to lost+found at the next start.
    const takenBack = mayBeCommitted(error) ? null : file.takeBack(media).catch(() => undefined);
    // A bucket that is away keeps no client waiting; the item of a resumable upload is the same when it goes on.
    if (file.uploadId !== null || classifySystemError(error) !== 'storage_away') await takenBack;
    throw error;
  }
  // Refused after all, or the same bytes came in twice at once and the other request was first.
  if (added.kind !== 'added') await file.takeBack(media);
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
  file: ReceivedFile,
): Promise<MediaRow> {
  if (!media.original_problem && !(await checkLength(assets, media))) return media;
  await file.putOriginal(media);
  await recordOriginalCheck(db, media, null);
  const row = await findStoredMedia(db, media.workspace_id, media.id);
  if (row) return row;
  await takeBack({ db, assets }, media);
  throw deletedMeanwhileError();
}

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { detectMediaType } from '@media-search/media/detect-media-type';
import type { UploadFields } from '../../../contract/media.ts';
import { type AssetOwner, type AssetStore, uploaded } from '../../assets/asset-store.ts';
import type { PartialFiles } from '../../assets/partial-files.ts';
import { endUpload, findUpload, type UploadRow } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import { type MediaRemoval, takeBack } from '../media-removal.ts';
import { type ReceivedFile, storeReceived } from '../store-media.ts';
import { type HeldUpload, supersededError } from './hold-upload.ts';
import { lostUploadError } from './receive-part.ts';
import { forgetHash, loadHash } from './running-hash.ts';

export type FinishParts = {
  db: Catalog;
  assets: AssetStore;
  partialFiles: PartialFiles;
  scratch: Scratch;
  removeUnlisted: MediaRemoval['removeUnlisted'];
  /** Called after an item was stored. */
  onStored: () => void;
};

/** What removing the files of an upload needs. */
export type RemovalParts = Pick<FinishParts, 'db' | 'assets' | 'partialFiles' | 'removeUnlisted'>;

/** The refusal that an upload ended with. */
type StoredRefusal = Pick<ApiError, 'code' | 'message'> & { details?: ApiError['details'] };

/**
 * Makes an upload that has arrived whole an item, as an ordinary upload is made one. It may be repeated, also after a crash: an upload that has
 * ended stays as it is.
 * Throws what it is refused with, again whenever it is asked; other failures leave it as it was.
 */
export async function finishUpload(parts: FinishParts, held: HeldUpload['row']): Promise<UploadRow> {
  if (held.ended_at === null) {
    const file = fromPartialFile(parts, held);
    try {
      await store(parts, held, file);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || error.code === 'offset_mismatch') throw error;
      // Another request may be storing it.
      if (!(await endUpload(parts.db, held, { error: storeRefusal(error) }))) throw supersededError();
    }
    await removeUploadFiles(parts, held, file.isCompletedHere());
  }
  const row = await findUpload(parts.db, held.workspace_id, held.id);
  if (!row) throw lostUploadError();
  throwRefusal(row);
  return row;
}

/** A refusal as the row of an upload holds it. */
export const storeRefusal = ({ code, message, details }: ApiError): string =>
  JSON.stringify({ code, message, details } satisfies StoredRefusal);

/** Whether an upload was discarded by a request. */
export const isDiscarded = ({ error }: UploadRow): boolean =>
  error !== null && (JSON.parse(error) as StoredRefusal).code === 'upload_discarded';

/** Throws what an upload was refused with; nothing when it was not. */
export function throwRefusal({ error }: UploadRow): void {
  if (error === null) return;
  const { code, message, details } = JSON.parse(error) as StoredRefusal;
  throw new ApiError(code, message, details ? { details } : {});
}

async function store(parts: FinishParts, held: HeldUpload['row'], partial: CompletableFile): Promise<void> {
  const { db, assets, onStored } = parts;
  const { workspace_id, sha256: declared } = held;
  const hash = await loadHash(parts.partialFiles, held).catch(throwLost);
  const sha256 = hash.digest();
  if (declared !== null && declared !== sha256) {
    throw new ApiError(
      'checksum_mismatch',
      `The file that arrived has the SHA-256 checksum ${sha256}, not ${declared}.`,
    );
  }
  const file = partial.withChecksum(sha256);
  const stored = await storeReceived(
    { db, assets },
    workspace_id,
    file,
    JSON.parse(held.labels) as UploadFields,
    async (transaction, { row, duplicate }) => {
      if (!(await endUpload(transaction, held, { media_id: row.id, duplicate }))) throw supersededError();
    },
  );
  if (!stored.duplicate) onStored();
}

/** What reading the bytes of an upload failed with: without its partial file the upload is lost. */
function throwLost(error: unknown): never {
  throw hasErrorCode(error, 'ENOENT') ? lostUploadError() : error;
}

/** The file of an upload, whole. */
type CompletableFile = {
  withChecksum(sha256: string): ReceivedFile;
  /** Whether it became an original since this request began: one that was there before may be of an item that the catalog has lost. */
  isCompletedHere(): boolean;
};

function fromPartialFile(parts: FinishParts, held: UploadRow): CompletableFile {
  let isCompletedHere = false;
  return {
    withChecksum: (sha256) =>
      toReceivedFile(parts, held, sha256, async () => {
        if (await parts.partialFiles.complete(held, sha256).catch(throwLost)) isCompletedHere = true;
      }),
    isCompletedHere: () => isCompletedHere,
  };
}

/** It becomes the original of its item before it is known whether it stays one, so a crash finds it there again. */
function toReceivedFile(
  { assets, scratch }: FinishParts,
  held: UploadRow,
  sha256: string,
  complete: () => Promise<void>,
): ReceivedFile {
  const { workspace_id, filename, length: size, item_id: itemId } = held;
  const own = { workspace_id, id: itemId };
  const about = { filename, size, sha256 };
  return {
    ...about,
    itemId,
    uploadId: held.id,
    async detectType() {
      await complete();
      return detectStoredType({ assets, scratch }, own, size);
    },
    async putOriginal({ workspace_id, id }: AssetOwner) {
      if (id === itemId) return;
      await complete();
      await assets.withLocalCopy(uploaded(own), (file) => assets.putOriginal(file, { ...about, workspace_id, id }));
    },
    // An upload that failed because of the machine is finished later; of one that is refused all is removed.
    takeBack: () => Promise.resolve(),
  };
}

/**
 * Removes what an upload has left that became no item of its own.
 * @param isCompletedHere whether its original, if it has one, is known to be of this upload alone
 */
export async function removeUploadFiles(
  { db, assets, partialFiles, removeUnlisted }: RemovalParts,
  upload: UploadRow,
  isCompletedHere = false,
): Promise<void> {
  const own = { workspace_id: upload.workspace_id, id: upload.item_id };
  forgetHash(upload.id);
  await partialFiles.remove(upload);
  if (isCompletedHere) await takeBack({ db, assets }, own);
  else await removeUnlisted(own, 'It belongs to an upload that ended without an item.');
}

/** By so much the type of a file can be told, bytes; whether an image has several frames may be said later. */
const headBytes = 64 * 1024;

/**
 * Detects what a stored original is by its content. Of a video in a bucket its beginning is read, of an image all of it.
 * @param size bytes of the original
 */
async function detectStoredType(
  { assets, scratch }: { assets: AssetStore; scratch: Scratch },
  owner: AssetOwner,
  size: number,
): ReturnType<typeof detectMediaType> {
  if (!assets.isLocal && size > headBytes) {
    const ofHead = await scratch.withFolder(async (folder) => {
      const file = path.join(folder, 'head');
      await writeFile(file, await buffer(assets.read(uploaded(owner), { start: 0, end: headBytes - 1 })));
      return detectMediaType(file);
    });
    if (ofHead?.type !== 'image') return ofHead;
  }
  return assets.withLocalCopy(uploaded(owner), detectMediaType);
}

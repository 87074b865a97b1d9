import type { UploadFields } from '../../../contract/media.ts';
import { ApiError } from '../../api-error.ts';
import { type AssetOwner, type AssetStore, original } from '../../assets/asset-store.ts';
import type { PartialFiles } from '../../assets/partial-files.ts';
import { findStoredMedia } from '../../catalog/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { endUpload, findUpload, type UploadRow } from '../../catalog/uploads.ts';
import type { Scratch } from '../../storage/scratch.ts';
import { hasErrorCode } from '../../storage/system-errors.ts';
import { type ReceivedFile, storeReceived } from '../store-media.ts';
import { detectStoredType } from './detect-stored-type.ts';
import { type HeldUpload, supersededError } from './hold-upload.ts';
import { lostUploadError } from './receive-part.ts';
import { forgetHash, loadHash } from './running-hash.ts';

export type FinishParts = {
  db: Catalog;
  assets: AssetStore;
  partialFiles: PartialFiles;
  scratch: Scratch;
  /** Called after an item was stored. */
  onStored: () => void;
};

/** The refusal that an upload ended with. */
type StoredRefusal = Pick<ApiError, 'code' | 'message'> & { details?: ApiError['details'] };

/**
 * Makes an upload that has arrived whole an item, as an ordinary upload is made one. It may be repeated, also after a crash: an upload that has
 * ended stays as it is.
 * Throws what it is refused with, again whenever it is asked; other failures leave it as it was.
 */
export async function finishUpload(parts: FinishParts, held: HeldUpload['row']): Promise<UploadRow> {
  if (held.ended_at === null) {
    try {
      await store(parts, held);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || error.code === 'offset_mismatch') throw error;
      await endUpload(parts.db, held, { error: storeRefusal(error) });
      await removeUploadFiles(parts, held);
    }
  }
  const row = await findUpload(parts.db, held.workspace_id, held.id);
  if (!row) throw lostUploadError();
  throwRefusal(row);
  return row;
}

/** A refusal as the row of an upload holds it. */
export const storeRefusal = ({ code, message, details }: ApiError): string =>
  JSON.stringify({ code, message, details } satisfies StoredRefusal);

/** Whether somebody ended an upload. */
export const isDiscarded = ({ error }: UploadRow): boolean =>
  error !== null && (JSON.parse(error) as StoredRefusal).code === 'upload_discarded';

/** Throws what an upload was refused with; nothing when it was not. */
export function throwRefusal({ error }: UploadRow): void {
  if (error === null) return;
  const { code, message, details } = JSON.parse(error) as StoredRefusal;
  throw new ApiError(code, message, details ? { details } : {});
}

async function store(parts: FinishParts, held: HeldUpload['row']): Promise<void> {
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
  const file = fromPartialFile(parts, held, sha256);
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
  await removeUploadFiles(parts, held);
}

/** What reading the bytes of an upload failed with: without its partial file the upload is lost. */
function throwLost(error: unknown): never {
  throw hasErrorCode(error, 'ENOENT') ? lostUploadError() : error;
}

/** The file of an upload. It becomes the original of its item before it is known whether it stays one, so a crash finds it there again. */
function fromPartialFile(
  { assets, partialFiles, scratch }: FinishParts,
  held: UploadRow,
  sha256: string,
): ReceivedFile {
  const { workspace_id, filename, length: size, item_id: itemId } = held;
  const own = { workspace_id, id: itemId };
  const about = { filename, size, sha256 };
  const complete = () => partialFiles.complete(held, sha256).catch(throwLost);
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
      await assets.withLocalCopy(original(own), (file) => assets.putOriginal(file, { ...about, workspace_id, id }));
    },
    // An upload that failed because of the machine is finished later; of one that is refused all is removed.
    takeBack: () => Promise.resolve(),
  };
}

/** Removes what an upload has left that became no item of its own. */
export async function removeUploadFiles(
  { db, assets, partialFiles }: Pick<FinishParts, 'db' | 'assets' | 'partialFiles'>,
  upload: UploadRow,
): Promise<void> {
  const own = { workspace_id: upload.workspace_id, id: upload.item_id };
  forgetHash(upload.id);
  await partialFiles.remove(upload);
  if (!(await findStoredMedia(db, own.workspace_id, own.id))) await assets.remove(own);
}

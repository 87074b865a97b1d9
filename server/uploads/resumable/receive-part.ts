import { createHash } from 'node:crypto';
import type { PartialFiles, PartialFileWriter } from '../../assets/partial-files.ts';
import { deleteUpload, findUpload, renewUpload, saveProgress, type UploadRow } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import { type HeldUpload, supersededError } from './hold-upload.ts';
import { loadHash } from './running-hash.ts';

/** What arrives of a long body is stored after so many bytes: what a crash can lose, and a broken connection cannot. */
const checkpointBytes = 16 * 2 ** 20;

/** The checksum that a body must have. */
export type PartChecksum = { algorithm: 'sha256' | 'sha1'; digest: Buffer };

export type Part = {
  body: AsyncIterable<Buffer>;
  checksum: PartChecksum | null;
  /** Aborts when nothing more will arrive. */
  signal: AbortSignal;
  /** Throws when the sender may no longer send. */
  checkAccess: () => Promise<void>;
};

type HeldPart = Part & Pick<HeldUpload, 'confirm'>;

/**
 * Appends a body to an upload. All that arrives is durable and in the catalog when this returns, and when it fails because the body ends early; but
 * with a checksum all or nothing. It does not fail because its client is gone when all bytes of the upload have come. The row says how far it came: bytes beyond it are cut off when the next part comes.
 * Throws `not_found` when what was received is gone, `payload_too_large`, `checksum_mismatch`, and the signal's reason.
 * @returns the row as it is then
 */
export async function receivePart(
  { db, partialFiles }: { db: Catalog; partialFiles: PartialFiles },
  { row, confirm }: Pick<HeldUpload, 'row' | 'confirm'>,
  part: Part,
): Promise<UploadRow> {
  // All is there, and its end was interrupted: the file may be the original of its item already.
  if (row.received === row.length) return row;
  try {
    await confirm();
    return await appendTo({ db, partialFiles }, row, { ...part, confirm });
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error;
    // As after the restore of a backup of the catalog alone, or where a bucket has a rule that removes parts.
    if ((await findNoted(db, row)) === undefined) throw supersededError();
    await partialFiles.remove(row);
    await deleteUpload(db, row.workspace_id, row.id);
    throw lostUploadError();
  }
}

async function appendTo(
  { db, partialFiles }: { db: Catalog; partialFiles: PartialFiles },
  row: HeldUpload['row'],
  part: HeldPart,
): Promise<UploadRow> {
  const writer = await partialFiles.open(row);
  try {
    return await append({ db, partialFiles }, row, writer, part);
  } catch (error) {
    // What is not noted takes no room: the disk may be full. Where another request writes, it has cut that off already.
    const noted = await findNoted(db, row);
    if (noted !== undefined) await writer.rollBack(noted).catch(() => undefined);
    throw error;
  } finally {
    await writer.close();
  }
}

/**
 * How many bytes of an upload the catalog has: what failed with an error may have been stored. Undefined when that is not known, or when another
 * request writes to it.
 */
async function findNoted(db: Catalog, held: HeldUpload['row']): Promise<number | undefined> {
  try {
    return (await renewUpload(db, held))?.received;
  } catch {
    // A catalog whose disk is full can be read.
    const row = await findUpload(db, held.workspace_id, held.id).catch(() => undefined);
    return row?.lease_owner === held.lease_owner ? row.received : undefined;
  }
}

async function append(
  { db, partialFiles }: { db: Catalog; partialFiles: PartialFiles },
  row: HeldUpload['row'],
  writer: PartialFileWriter,
  { body, checksum, signal, checkAccess, confirm }: HeldPart,
): Promise<UploadRow> {
  const hash = await loadHash(partialFiles, row, signal);
  const partHash = checksum && createHash(checksum.algorithm);
  let { received } = row;
  let current: UploadRow = row;
  // While it is true, and when a write has failed, hash and file hold more than was counted.
  let isWriting = false;
  const save = async () => {
    if (received === current.received) return;
    current = await store(db, row, writer, { received, hash_state: hash.state() });
    hash.noteStored(received);
  };
  try {
    for await (const bytes of body) {
      if (received + bytes.length > row.length) throw tooLongError(row.length);
      await confirm();
      isWriting = true;
      partHash?.update(bytes);
      hash.update(bytes);
      await writer.write(bytes);
      received += bytes.length;
      isWriting = false;
      if (checksum || received - current.received < checkpointBytes) continue;
      await save();
      await checkAccess();
    }
    if (received < row.length) signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted || isWriting) throw error;
    // The body ended early. What came is kept, unless a checksum covers the whole. A client that hangs up after the last byte has sent all.
    if (received < row.length) {
      if (!checksum) await save();
      throw error;
    }
  }
  if (partHash && !partHash.digest().equals(checksum.digest)) throw checksumError();
  await save();
  return current;
}

async function store(
  db: Catalog,
  held: HeldUpload['row'],
  writer: PartialFileWriter,
  progress: { received: number; hash_state: Uint8Array | null },
): Promise<UploadRow> {
  const stored = await writer.flush();
  const row = await saveProgress(db, held, { ...progress, stored });
  if (!row) throw supersededError();
  await writer.settle();
  return row;
}

export const lostUploadError = (): ApiError =>
  new ApiError('not_found', 'What was received of this upload is no longer there. Begin again.');

export const tooLongError = (length: number): ApiError =>
  new ApiError('payload_too_large', `This upload has ${length} bytes in all, and the request holds more.`);

const checksumError = (): ApiError =>
  new ApiError(
    'checksum_mismatch',
    'These bytes were changed on their way: they do not have the checksum that was sent with them. None of them was kept. Send them again.',
  );

import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFolderSynced, syncToDisk } from './durable-files.ts';

export type FileChecksum = { bytes: number; sha256: string };

/** The checksum of the copy, or why there is none: no source; a source that cannot be read or does not hold what was expected. */
export type CopyOutcome = FileChecksum | 'missing' | 'damaged';

const blockBytes = 2 ** 20;

/**
 * Copies a file under a temporary name, syncs it and renames it. The caller has to sync the folder. A copy that does not match what is
 * expected is removed.
 * @param expected checksum of the source
 * @param onRead called with the length of each block that was copied
 * Throws errors of writing.
 */
export async function copyFile(
  source: string,
  target: string,
  { expected, onRead }: { expected?: FileChecksum | undefined; onRead?: ((bytes: number) => void) | undefined } = {},
): Promise<CopyOutcome> {
  const from = await open(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!from) return 'missing';
  const temporary = `${target}.new`;
  try {
    const to = await open(temporary, 'w', 0o600);
    let copied: FileChecksum | 'damaged';
    try {
      copied = await copyBytes(from, to, onRead);
      await to.sync();
    } finally {
      await to.close();
    }
    const matches =
      copied !== 'damaged' && (!expected || (copied.bytes === expected.bytes && copied.sha256 === expected.sha256));
    if (!matches) {
      await rm(temporary);
      return 'damaged';
    }
    await rename(temporary, target);
    return copied;
  } finally {
    await from.close();
  }
}

/**
 * Whether an earlier try wrote a file: one that is copied gets its name only when it is complete. The name is durable when this returns.
 * @param durableBefore names that are older, in milliseconds, are durable already
 */
export async function hasFile(target: string, bytes: number, durableBefore = 0): Promise<boolean> {
  const found = await stat(target).catch(() => null);
  if (found?.size !== bytes) return false;
  if (found.ctimeMs >= durableBefore) await syncToDisk(path.dirname(target));
  return true;
}

/** Makes the folder of a file that `copy` writes, whose name is durable when this returns. */
export async function receiveFile(
  target: string,
  copy: (target: string) => Promise<CopyOutcome>,
): Promise<CopyOutcome> {
  await createFolderSynced(path.dirname(target));
  const outcome = await copy(target);
  if (typeof outcome !== 'string') await syncToDisk(path.dirname(target));
  return outcome;
}

async function copyBytes(
  from: FileHandle,
  to: FileHandle,
  onRead: ((bytes: number) => void) | undefined,
): Promise<FileChecksum | 'damaged'> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(blockBytes);
  let bytes = 0;
  for (;;) {
    const read = await readBlock(from, block, bytes);
    if (read === 'damaged') return 'damaged';
    if (read === 0) return { bytes, sha256: hash.digest('hex') };
    const part = block.subarray(0, read);
    hash.update(part);
    for (let written = 0; written < read;) {
      written += (await to.write(part, written, read - written, bytes + written)).bytesWritten;
    }
    bytes += read;
    onRead?.(read);
  }
}

async function readBlock(from: FileHandle, block: Buffer, position: number): Promise<number | 'damaged'> {
  try {
    return (await from.read(block, 0, block.length, position)).bytesRead;
  } catch (error) {
    // The disk cannot read it.
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return 'damaged';
    throw error;
  }
}

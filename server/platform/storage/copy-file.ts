import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFolderSynced, syncToDisk } from './durable-files.ts';

export type FileChecksum = { bytes: number; sha256: string };

/** The checksum of the copy, or why there is none: no source; a source that cannot be read or does not hold what was expected. */
export type CopyOutcome = FileChecksum | 'missing' | 'damaged';

const blockBytes = 2 ** 20;

type CopyOptions = {
  /** Checksum of the source. */
  expected?: FileChecksum | undefined;
  /** Called with the length of each block that was copied. */
  onRead?: ((bytes: number) => void) | undefined;
};

/**
 * Copies a file under a temporary name, syncs it and renames it. The caller has to sync the folder. A copy that does not match what is
 * expected is removed.
 * Throws errors of writing.
 */
export async function copyFile(source: string, target: string, options: CopyOptions = {}): Promise<CopyOutcome> {
  const from = await open(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!from) return 'missing';
  try {
    return await copyBlocks(readBlocks(from), target, options);
  } finally {
    await from.close();
  }
}

/**
 * The same from a stream, which is read to its end. One that fails with ENOENT is missing.
 * Throws errors of writing, and others of the stream.
 */
export async function copyStream(
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: CopyOptions = {},
): Promise<CopyOutcome> {
  try {
    return await copyBlocks(source, target, options);
  } catch (error) {
    await rm(`${target}${temporarySuffix}`, { force: true });
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing';
    throw error;
  }
}

const temporarySuffix = '.new';

async function copyBlocks(
  blocks: AsyncIterable<Uint8Array | 'damaged'>,
  target: string,
  { expected, onRead }: CopyOptions,
): Promise<CopyOutcome> {
  const temporary = `${target}${temporarySuffix}`;
  const to = await open(temporary, 'w', 0o600);
  let copied: FileChecksum | 'damaged';
  try {
    copied = await writeBlocks(blocks, to, onRead);
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

async function writeBlocks(
  blocks: AsyncIterable<Uint8Array | 'damaged'>,
  to: FileHandle,
  onRead: ((bytes: number) => void) | undefined,
): Promise<FileChecksum | 'damaged'> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const block of blocks) {
    if (block === 'damaged') return block;
    hash.update(block);
    for (let written = 0; written < block.length;) {
      written += (await to.write(block, written, block.length - written, bytes + written)).bytesWritten;
    }
    bytes += block.length;
    onRead?.(block.length);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** The blocks of a file, each until the next one is asked for; `damaged` where the disk cannot read it. */
async function* readBlocks(from: FileHandle): AsyncGenerator<Uint8Array | 'damaged'> {
  const block = Buffer.allocUnsafe(blockBytes);
  for (let position = 0; ;) {
    const read = await readBlock(from, block, position);
    if (read === 0) return;
    yield read === 'damaged' ? read : block.subarray(0, read);
    if (read === 'damaged') return;
    position += read;
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

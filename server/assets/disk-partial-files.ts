import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { nullIfAbsent } from '../errors/system-errors.ts';
import { createFolderSynced, syncToDisk } from '../platform/storage/durable-files.ts';
import { listSubfolders } from '../platform/storage/list-subfolders.ts';
import { type AssetStore, uploaded } from './asset-store.ts';
import { diskLayout } from './disk-layout.ts';
import type { PartialFile, PartialFiles, PartialFileWriter } from './partial-files.ts';

/** Partial files in a data folder: a file each, on the file system of the assets, so that it becomes an original by a rename. */
export function createDiskPartialFiles(dataDirectory: string, assets: AssetStore): PartialFiles {
  const { partialFilesRoot, partialFileAt, file: assetFile } = diskLayout(dataDirectory);
  return {
    open: (partialFile) => openWriter(partialFileAt(partialFile), partialFile),

    async *read(partialFile, start) {
      const file = partialFileAt(partialFile);
      const owner = { workspace_id: partialFile.workspace_id, id: partialFile.item_id };
      const found = await stat(file).catch(nullIfAbsent);
      if (found) yield* readFrom(file, start, partialFile.received);
      else yield* readFrom(assetFile(uploaded(owner)), start, partialFile.received);
    },

    async complete(partialFile, sha256) {
      const { workspace_id, item_id, filename, length } = partialFile;
      const file = partialFileAt(partialFile);
      const owner = { workspace_id, id: item_id };
      const found = await stat(file).catch(nullIfAbsent);
      const earlier = await assets.stat(uploaded(owner));
      if (found === null) {
        // Completed before, and the process was killed before it could store that.
        if (earlier?.bytes === length) return false;
        throw lostError(file);
      }
      // The file moves there, so the original is of a time that an older copy of the catalog does not know.
      if (earlier) throw lostError(file);
      await cutOff(file, length);
      await assets.putOriginal(file, { ...owner, filename, sha256 });
      return true;
    },

    remove: (partialFile) => rm(partialFileAt(partialFile), { force: true }),
    removeUnlisted: (owner) => rm(partialFileAt(owner), { force: true }),

    async *list() {
      for (const workspace_id of await listSubfolders(partialFilesRoot)) {
        for (const id of await readdir(path.join(partialFilesRoot, workspace_id))) {
          const found = await stat(partialFileAt({ workspace_id, id })).catch(nullIfAbsent);
          if (found) yield { workspace_id, id, changedAt: found.mtime };
        }
      }
    },
  };
}

const lostError = (file: string): Error => Object.assign(new Error(`ENOENT: ${file} is not there`), { code: 'ENOENT' });

/** Reads up to a position; throws ENOENT when the file ends before. */
async function* readFrom(file: string, start: number, end: number): AsyncIterable<Buffer> {
  let position = start;
  if (start >= end) return;
  for await (const bytes of createReadStream(file, { start, end: end - 1, highWaterMark: 2 ** 18 })) {
    position += (bytes as Buffer).length;
    yield bytes as Buffer;
  }
  if (position < end) throw lostError(file);
}

async function openWriter(file: string, { received }: PartialFile): Promise<PartialFileWriter> {
  const handle = received === 0 ? await create(file) : await openAt(file, received);
  let position = received;
  return {
    async write(bytes) {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position);
        written += bytesWritten;
        position += bytesWritten;
      }
    },
    async flush() {
      await handle.sync();
      return null;
    },
    settle: () => Promise.resolve(),
    rollBack: (noted) => handle.truncate(noted),
    close: () => handle.close(),
  };
}

async function create(file: string): Promise<FileHandle> {
  const folder = path.dirname(file);
  await createFolderSynced(folder);
  const handle = await open(file, 'w', 0o600);
  try {
    await syncToDisk(folder);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

/** Opens a file that must have so many bytes, and cuts off what follows them. */
async function openAt(file: string, bytes: number): Promise<FileHandle> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    if (size < bytes) throw lostError(file);
    if (size > bytes) await handle.truncate(bytes);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function cutOff(file: string, bytes: number): Promise<void> {
  const handle = await openAt(file, bytes);
  await handle.sync();
  await handle.close();
}

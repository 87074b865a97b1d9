import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type CatalogPosition, isInHistory, readPosition } from '../../catalog/media/timelines.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { replaceFile } from '../../platform/storage/durable-files.ts';

const checksumBytes = 32;

/** What a file holds: derived data, and the position in the catalog's history up to which it was derived. */
type CacheContent<Content> = { position: CatalogPosition; content: Content };

/** Writes data derived from the catalog, which may hold typed arrays, with a checksum. The file is replaced atomically. */
export async function writeCacheFile(db: Catalog, file: string, content: object): Promise<void> {
  const bytes = serialize({ position: await readPosition(db), content } satisfies CacheContent<object>);
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, (temporary) => writeFile(temporary, Buffer.concat([computeChecksum(bytes), bytes])));
}

/**
 * Reads derived data. Null when there is none, when it is damaged, and when it belongs to a history of the catalog that a restored copy
 * has replaced: it can be derived again.
 */
export async function readCacheFile<Content extends object>(db: Catalog, file: string): Promise<Content | null> {
  const cached = await readVerified<Content>(file);
  return cached?.position && (await isInHistory(db, cached.position)) ? cached.content : null;
}

async function readVerified<Content>(file: string): Promise<CacheContent<Content> | null> {
  try {
    const bytes = await readFile(file);
    const content = bytes.subarray(checksumBytes);
    return computeChecksum(content).equals(bytes.subarray(0, checksumBytes))
      ? (deserialize(content) as CacheContent<Content>)
      : null;
  } catch {
    return null;
  }
}

const computeChecksum = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

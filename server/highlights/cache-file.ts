import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Catalog } from '../catalog/schema.ts';
import { type CatalogPosition, isInHistory, readPosition } from '../catalog/timelines.ts';
import { replaceFile } from '../storage/durable-files.ts';

const checksumBytes = 32;

/** What stands in a file: what was derived, and up to where of the catalog. */
type CacheContent<Content> = { position: CatalogPosition; content: Content };

/** Writes what was derived from the catalog as it stands, typed arrays and all, with a sum over it; whole or not at all. */
export async function writeCacheFile(db: Catalog, file: string, content: object): Promise<void> {
  const bytes = serialize({ position: await readPosition(db), content } satisfies CacheContent<object>);
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, (temporary) => writeFile(temporary, Buffer.concat([computeChecksum(bytes), bytes])));
}

/**
 * What was saved; null when there is nothing, it is damaged, another version wrote it, or it is of a catalog that an older copy was put
 * in the place of: it can be derived again.
 */
export async function readCacheFile<Content extends object>(db: Catalog, file: string): Promise<Content | null> {
  const derived = await read<Content>(file);
  return derived?.position && (await isInHistory(db, derived.position)) ? derived.content : null;
}

async function read<Content>(file: string): Promise<CacheContent<Content> | null> {
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

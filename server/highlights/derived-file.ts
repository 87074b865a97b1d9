import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Catalog } from '../catalog/schema.ts';
import { type CatalogPosition, isInHistory, readPosition } from '../catalog/timelines.ts';
import { replaceFile } from '../durable-files.ts';

const sumLength = 32;

/** What stands in a file: what was derived, and up to where of the catalog. */
type Derived<Content> = { position: CatalogPosition; content: Content };

/** Writes what was derived from the catalog as it stands, typed arrays and all, with a sum over it; whole or not at all. */
export async function saveDerived(db: Catalog, file: string, content: object): Promise<void> {
  const bytes = serialize({ position: await readPosition(db), content } satisfies Derived<object>);
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, (temporary) => writeFile(temporary, Buffer.concat([sumOf(bytes), bytes])));
}

/**
 * What was saved; null when there is nothing, it is damaged, another version wrote it, or it is of a catalog that an older copy was put
 * in the place of: it can be derived again.
 */
export async function loadDerived<Content extends object>(db: Catalog, file: string): Promise<Content | null> {
  const derived = await read<Content>(file);
  return derived?.position && (await isInHistory(db, derived.position)) ? derived.content : null;
}

async function read<Content>(file: string): Promise<Derived<Content> | null> {
  try {
    const bytes = await readFile(file);
    const content = bytes.subarray(sumLength);
    return sumOf(content).equals(bytes.subarray(0, sumLength)) ? (deserialize(content) as Derived<Content>) : null;
  } catch {
    return null;
  }
}

const sumOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

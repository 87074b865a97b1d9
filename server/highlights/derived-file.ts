import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { replaceFile } from '../durable-files.ts';

const sumLength = 32;

/** Writes what was derived from the catalog, typed arrays and all, with a sum over it; whole or not at all. */
export async function saveDerived(file: string, content: object): Promise<void> {
  const bytes = serialize(content);
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, (temporary) => writeFile(temporary, Buffer.concat([sumOf(bytes), bytes])));
}

/** What was saved; null when there is nothing, it is damaged, or another version of Node wrote it: it can be derived again. */
export async function loadDerived<Content extends object>(file: string): Promise<Content | null> {
  try {
    const bytes = await readFile(file);
    const content = bytes.subarray(sumLength);
    return sumOf(content).equals(bytes.subarray(0, sumLength)) ? (deserialize(content) as Content) : null;
  } catch {
    return null;
  }
}

const sumOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

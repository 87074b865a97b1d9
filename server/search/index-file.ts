import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { CatalogPosition } from '../catalog/timelines.ts';
import { replaceFile } from '../storage/durable-files.ts';

/** What the file beside a saved index says. */
type IndexDescription = {
  /** Up to where it holds the catalog's vectors. */
  position: CatalogPosition;
  /** The chunks that it holds. */
  numbers: number[];
  /** CRC-32 of the index: a damaged one would crash the library that reads it. A cryptographic checksum would take a second per gigabyte. */
  sum: number;
};

const descriptionFile = (file: string): string => `${file}.json`;

/**
 * Saves an index as a whole or not at all: its description is written last.
 * @param write writes the index itself into a file
 */
export async function saveIndex(
  file: string,
  { position, numbers }: Omit<IndexDescription, 'sum'>,
  write: (file: string) => void,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  // Between the two renames the description belongs to the old file. Its checksum shows that.
  const sum = await replaceFile(file, async (temporary) => {
    write(temporary);
    return computeChecksum(temporary);
  });
  await replaceFile(descriptionFile(file), (temporary) =>
    writeFile(temporary, JSON.stringify({ position, numbers, sum } satisfies IndexDescription)),
  );
}

/** The description of a saved index. Null when there is none, and when its file is not as it was written. */
export async function readIndexDescription(file: string): Promise<Omit<IndexDescription, 'sum'> | null> {
  try {
    const description = JSON.parse(await readFile(descriptionFile(file), 'utf8')) as IndexDescription;
    // Files from before there were timelines have no position.
    return description.position && (await computeChecksum(file)) === description.sum ? description : null;
  } catch {
    // Nothing was saved, or not completely: the index is built again.
    return null;
  }
}

export async function removeIndex(file: string): Promise<void> {
  await rm(descriptionFile(file), { force: true });
  await rm(file, { force: true });
}

async function computeChecksum(file: string): Promise<number> {
  let sum = 0;
  for await (const bytes of createReadStream(file, { highWaterMark: 2 ** 20 })) sum = crc32(bytes as Buffer, sum);
  return sum;
}

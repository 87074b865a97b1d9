import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { CatalogPosition } from '../catalog/timelines.ts';
import { replaceFile } from '../storage/durable-files.ts';

/** What stands beside a saved index. */
type Description = {
  /** Up to where it holds the catalog's vectors. */
  position: CatalogPosition;
  /** The chunks that it holds. */
  numbers: number[];
  /** CRC-32 of its file: a damaged one would crash the library that reads it. A cryptographic sum would take a second a gigabyte. */
  sum: number;
};

const descriptionFile = (file: string): string => `${file}.json`;

/**
 * Saves an index, whole or not at all: what describes it comes last.
 * @param write writes the index itself into a file
 */
export async function saveIndex(
  file: string,
  { position, numbers }: Omit<Description, 'sum'>,
  write: (file: string) => void,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  // Between the two renames the description is of another file, which its sum tells.
  const sum = await replaceFile(file, async (temporary) => {
    write(temporary);
    return computeChecksum(temporary);
  });
  await replaceFile(descriptionFile(file), (temporary) =>
    writeFile(temporary, JSON.stringify({ position, numbers, sum } satisfies Description)),
  );
}

/** What a saved index holds, when there is one and its file is as it was written; else null. */
export async function readIndexDescription(file: string): Promise<Omit<Description, 'sum'> | null> {
  try {
    const description = JSON.parse(await readFile(descriptionFile(file), 'utf8')) as Description;
    // Files of before there were timelines say no position.
    return description.position && (await computeChecksum(file)) === description.sum ? description : null;
  } catch {
    // Nothing was saved, or not to its end: the index is built anew.
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

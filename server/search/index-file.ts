import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { CatalogPosition } from '../catalog/timelines.ts';
import { replaceFile } from '../storage/durable-files.ts';

/** The description of a saved index, in a file beside it. */
type IndexDescription = {
  /** The position in the catalog up to which it holds the vectors. */
  position: CatalogPosition;
  /** The chunks that it holds. */
  numbers: number[];
  /** CRC-32 of the index: a damaged one would crash the library that reads it. A cryptographic checksum would take a second per gigabyte. */
  sum: number;
};

const descriptionFile = (file: string): string => `${file}.json`;

/**
 * Saves an index completely or not at all: its description is written last.
 * @param write writes the index itself into a file
 */
export async function saveIndex(
  file: string,
  { position, numbers }: Omit<IndexDescription, 'sum'>,
  write: (file: string) => void,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  // Between the two renames the description belongs to the old file. The checksum detects that.
  const sum = await replaceFile(file, async (temporary) => {
    write(temporary);
    return computeChecksum(temporary);
  });
  await replaceFile(descriptionFile(file), (temporary) =>
    writeFile(temporary, JSON.stringify({ position, numbers, sum } satisfies IndexDescription)),
  );
}

/** The description of a saved index. Null when there is none, and when its file is damaged. */
export async function readIndexDescription(file: string): Promise<Omit<IndexDescription, 'sum'> | null> {
  try {
    const description = JSON.parse(await readFile(descriptionFile(file), 'utf8')) as IndexDescription;
    // Files of versions without timelines have no position.
    return description.position && (await computeChecksum(file)) === description.sum ? description : null;
  } catch {
    // No index was saved, or it is incomplete: it is rebuilt.
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

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MediaItem } from '../../contract/media.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import type { TestClient } from './running-service.ts';

/**
 * A photograph that differs from those of other numbers.
 * @param extraBytes what follows the picture, which decoders pass over
 */
export async function makeDistinctPhoto(file: string, number: number, extraBytes = 0): Promise<string> {
  await makePhoto(file, plain(number % 256, 99, Math.floor(number / 256)));
  await writeFile(file, Buffer.alloc(extraBytes, number), { flag: 'a' });
  return file;
}

/** Uploads a photograph for each number and waits until all are indexed. */
export async function uploadPhotos(client: TestClient, folder: string, numbers: number[]): Promise<MediaItem[]> {
  const items: MediaItem[] = [];
  for (const number of numbers) {
    const file = await makeDistinctPhoto(path.join(folder, `photo-${number}.png`), number);
    items.push(await client.waitUntilIndexed((await client.upload(file)).data.id));
  }
  return items;
}

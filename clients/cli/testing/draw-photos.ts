import { readFile } from 'node:fs/promises';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';

let drawn = 0;

/** So many photos that no test before has had. */
export async function drawPhotos(number: number): Promise<Buffer[]> {
  await using folder = await temporaryFolder();
  const photos: Buffer[] = [];
  for (let i = 0; i < number; i++) {
    drawn++;
    await makePhoto(folder.file(`${i}.jpg`), plain(drawn % 256, (7 * drawn) % 256, 90));
    // Colours repeat.
    photos.push(Buffer.concat([await readFile(folder.file(`${i}.jpg`)), Buffer.from(`photo ${drawn}`)]));
  }
  return photos;
}

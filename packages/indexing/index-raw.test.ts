import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { makeRaw } from '../media/testing/make-raw.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { indexFile } from './testing/index-file.ts';

test('a raw photograph is indexed by its picture, and browsers get that upright', async () => {
  await using folder = await temporaryFolder();
  const draw = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#c81414' } })
      .jpeg()
      .toBuffer();
  const file = folder.file('IMG_0001.JPG');
  await writeFile(file, makeRaw('cr3', await draw(1800, 1200), await draw(160, 120), 8));
  const indexed = await indexFile(file, folder.path);
  expect(indexed).toMatchObject({
    type: 'image',
    mimeType: 'image/x-canon-cr3',
    width: 1200,
    height: 1800,
    rendition: { file: 'display.webp', mimeType: 'image/webp' },
    details: { image: { format: 'CR3' } },
    recording: { camera: 'Canon EOS R5' },
  });
  expect(indexed.chunks[0]?.embeddings.length).toBe(1);
  expect(await sharp(folder.file('display.webp')).metadata()).toMatchObject({ width: 1200, height: 1800 });
});

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import type { SearchHit } from '../../contract/search.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { expectQuality } from './expected-quality.ts';
import { waitForItem } from './library.ts';

/**
 * Whether a changed copy of a stored photograph finds it first, by our HTTP API: halved, recompressed, cropped, mirrored, darkened. Exits
 * with 1 when too few do.
 *
 *     npm run node -- lab/bench/copies.ts <folder of photographs> [--embedder <builtin|descriptors|preset|folder> ...] [--queries 60]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: 'string', multiple: true, default: ['builtin'] },
    queries: { type: 'string', default: '60' },
  },
});
const folder = path.resolve(positionals[0] ?? '.');
const files = (await readdir(folder)).filter((name) => /\.(jpe?g|png|webp)$/i.test(name));

type Size = { width: number; height: number };

const crop = (photo: Sharp, { width, height }: Size, share: number): Sharp =>
  photo.extract({
    left: Math.round((width * share) / 2),
    top: Math.round((height * share) / 2),
    width: Math.round(width * (1 - share)),
    height: Math.round(height * (1 - share)),
  });

const changes: Record<string, (photo: Sharp, size: Size) => Sharp> = {
  'half the size': (photo, { width }) => photo.resize(Math.round(width / 2)).jpeg({ quality: 85 }),
  'JPEG of quality 30': (photo) => photo.jpeg({ quality: 30 }),
  'cropped by 10 %': (photo, size) => crop(photo, size, 0.1).jpeg({ quality: 85 }),
  'cropped by 30 %': (photo, size) => crop(photo, size, 0.3).jpeg({ quality: 85 }),
  mirrored: (photo) => photo.flop().jpeg({ quality: 85 }),
  'a quarter darker': (photo) => photo.modulate({ brightness: 0.75 }).jpeg({ quality: 85 }),
};

/** The descriptors find the fewest: of darker copies 0.83. */
const leastShare = 0.75;

console.log(`${files.length} photographs, ${values.queries} of them looked for; share that is found first\n`);
console.log(`| embedder | ${Object.keys(changes).join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(Object.keys(changes).length)}`);
for (const embedder of values.embedder) {
  await using service = await startTestService({ embedder, workers: 2 });
  const { client } = service;
  const items = new Map<string, string>();
  for (const file of files) items.set(file, (await client.upload(path.join(folder, file))).data.id);
  for (const id of items.values()) await waitForItem(client, id);
  const used = (await client.get<{ embedder: { id: string } }>('/workspace')).data.embedder.id;
  const shares: string[] = [];
  for (const change of Object.values(changes)) {
    let first = 0;
    const asked = files.slice(0, Number(values.queries));
    for (const file of asked) {
      const upright = await sharp(path.join(folder, file)).autoOrient().toColourspace('srgb').toBuffer();
      const { width, height } = await sharp(upright).metadata();
      const image = (await change(sharp(upright), { width, height }).toBuffer()).toString('base64');
      const { data } = await client.post<SearchHit[]>('/media/search/image', { image, n: 1 });
      if (data[0]?.id === items.get(file)) first += 1;
    }
    const share = first / asked.length;
    expectQuality([{ name: `${used}, copies found first`, value: share, least: leastShare }]);
    shares.push(share.toFixed(2));
  }
  console.log(`| ${used} | ${shares.join(' | ')} |`);
}

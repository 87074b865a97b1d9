import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { readModelFolder } from '../server/models/semantic/model-folder.ts';
import { createSemanticEmbedder } from '../server/models/semantic/semantic-embedder.ts';
import { startTestService } from '../server/testing/running-service.ts';
import { dot, median } from '../server/vectors.ts';

/**
 * How well sentences find the photos and clips that they describe, by our HTTP API: recall at 1, 5 and 10 and the median rank,
 * for each embedder, with and without another look at the hits. For photos under a model also what the model alone gives on
 * the same images, decoded whole: a pipeline that loses nothing comes out the same.
 *
 *     node bench/recall.ts <folder> [--captions <file.tsv>] [--embedder <builtin|descriptors|preset|folder> ...]
 *
 * The captions have a header, and then in each line a file name and a sentence. Without captions a photo is described by its name.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    captions: { type: 'string' },
    embedder: { type: 'string', multiple: true, default: ['descriptors'] },
  },
});
const folder = path.resolve(positionals[0] ?? '.');
const captions = await readCaptions();
console.log(`${captions.length} captions of ${new Set(captions.map(({ file }) => file)).size} files in ${folder}\n`);
console.log('| embedder | | recall at 1 | at 5 | at 10 | median rank |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const embedder of values.embedder) {
  await using service = await startTestService({ embedder, workers: 2 });
  const { client } = service;
  const items = new Map<string, string>();
  for (const file of new Set(captions.map((caption) => caption.file))) {
    // Under names that say nothing: what is found is to be found by its image.
    const name = `${items.size}${path.extname(file)}`;
    items.set(file, (await client.upload(path.join(folder, file), name)).data.id);
  }
  for (const id of items.values()) await client.waitUntilIndexed(id);
  const used = (await client.get<{ embedder: { id: string } }>('/workspace')).data.embedder.id;
  for (const rerank of [false, true]) {
    const ranks: number[] = [];
    for (const { file, caption } of captions) {
      const { data } = await client.search(caption, `&n=100${rerank ? '&rerank=1' : ''}`);
      const found = [...new Set(data.map(({ id }) => id))].indexOf(items.get(file) ?? '');
      ranks.push(found === -1 ? items.size : found + 1);
    }
    report(used, rerank ? 'HTTP, rerank' : 'HTTP', ranks);
  }
  if (embedder.includes('/')) await reportModelAlone(embedder, [...items.keys()]);
}

/** The same sentences and images through the towers alone. */
async function reportModelAlone(modelFolder: string, files: string[]): Promise<void> {
  const photos = files.filter((file) => /\.(jpe?g|png|webp)$/i.test(file));
  if (photos.length < files.length) return;
  const model = await readModelFolder(path.resolve(modelFolder));
  const embedder = createSemanticEmbedder({ kind: 'semantic', id: 'alone', dimensions: 0, ...model }, 2);
  const vectors: Float32Array[] = [];
  for (const photo of photos) {
    const { data, info } = await sharp(path.join(folder, photo))
      .autoOrient()
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const image = { width: info.width, height: info.height, data };
    vectors.push(...(await embedder.embedChunks([[{ image, next: null }]])).map(({ vector }) => vector));
  }
  const ranks: number[] = [];
  for (const { file, caption } of captions) {
    const { vector } = await embedder.embedText(caption);
    const right = dot(vectors[photos.indexOf(file)] as Float32Array, vector as Float32Array);
    ranks.push(1 + vectors.filter((each) => dot(each, vector as Float32Array) > right).length);
  }
  report(path.basename(modelFolder), 'model alone', ranks);
}

function report(embedder: string, how: string, ranks: number[]): void {
  const recall = (at: number) => (ranks.filter((rank) => rank <= at).length / ranks.length).toFixed(3);
  const middle = median(ranks);
  console.log(`| ${embedder} | ${how} | ${recall(1)} | ${recall(5)} | ${recall(10)} | ${middle} |`);
}

async function readCaptions(): Promise<{ file: string; caption: string }[]> {
  if (values.captions === undefined) {
    const files = (await readdir(folder)).filter((name) => /\.(jpe?g|png|webp)$/i.test(name));
    return files.map((file) => ({ file, caption: path.parse(file).name.replaceAll(/[_-]+/g, ' ').toLowerCase() }));
  }
  const [, ...lines] = (await readFile(values.captions, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [file = '', caption = ''] = line.split('\t');
    return { file, caption };
  });
}

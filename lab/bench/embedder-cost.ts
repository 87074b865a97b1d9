import { execFile } from 'node:child_process';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Moment } from '@media-search/media/rgb-image';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { median } from '@media-search/search-engine/vectors';
import sharp from 'sharp';
import { childMemorySettings } from '../../server/platform/processes/child-memory.ts';
import { findReference } from './embedder-by-name.ts';
import { listPhotographs, readJudged } from './judged.ts';
import { privateMemory } from './private-memory.ts';

/**
 * What an embedder costs one core: processor time of a text query and of a frame (medians, in milliseconds, on one thread), and by how much
 * the private memory of a process grows that embeds texts, and of one that embeds images. Each in a process of its own.
 *
 *     npm run node -- lab/bench/embedder-cost.ts --photos <folder> --clips <folder> [--embedder <builtin|descriptors|folder> ...]
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    embedder: { type: 'string', multiple: true, default: ['builtin'] },
    role: { type: 'string' },
  },
});
const [name = ''] = values.embedder;

type Cost = { milliseconds: number; mebibytes: number };

if (values.role !== undefined) {
  console.log(JSON.stringify(await (values.role === 'text' ? measureTexts() : measureImages())));
} else {
  console.log('| | a text query, ms | memory for texts, MiB | a frame, ms | memory for images, MiB |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const embedder of values.embedder) {
    const [text, image] = [await runAlone(embedder, 'text'), await runAlone(embedder, 'image')];
    const cells = [text, image].map((cost) => `${cost.milliseconds.toFixed(2)} | ${cost.mebibytes.toFixed(0)}`);
    console.log(`| ${path.basename(embedder)} | ${cells.join(' | ')} |`);
  }
}

async function runAlone(embedder: string, role: string): Promise<Cost> {
  const { photos, clips } = values;
  const args = [import.meta.filename, '--role', role, '--embedder', embedder, '--photos', photos, '--clips', clips];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...childMemorySettings },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Cost;
}

async function measureTexts(): Promise<Cost> {
  const judged = await readJudged(values);
  const queries = [...judged.things, ...judged.kinds, ...judged.descriptions, ...judged.names].map(
    ({ query }) => query,
  );
  const before = await privateMemory();
  const embedder = await createEmbedderLoader(1)(await findReference(name));
  return measureEach(queries, (query) => embedder.embedText(query), before);
}

async function measureImages(): Promise<Cost> {
  const photographs = (await listPhotographs(values.photos)).slice(0, 40);
  const frames: Moment[] = [];
  for (const file of photographs) {
    // The size that frames of a video are analysed at.
    const { data, info } = await sharp(path.join(values.photos, file))
      .resize(480, 270, { fit: 'fill' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    frames.push({ image: { width: info.width, height: info.height, data }, next: null });
  }
  const before = await privateMemory();
  const embedder = await createEmbedderLoader(1)(await findReference(name));
  return measureEach(frames, (frame) => embedder.embedChunks([[frame]]), before);
}

/** The first task is not counted: it loads the weights. */
async function measureEach<Task>(tasks: Task[], run: (task: Task) => Promise<unknown>, before: number): Promise<Cost> {
  const times: number[] = [];
  for (const task of tasks) {
    const began = process.cpuUsage();
    await run(task);
    const { user, system } = process.cpuUsage(began);
    times.push((user + system) / 1000);
  }
  return { milliseconds: median(times.slice(1)), mebibytes: ((await privateMemory()) - before) / 2 ** 20 };
}

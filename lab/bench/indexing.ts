import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { indexMedia } from '@media-search/indexing/index-media';
import { openDecoder } from '@media-search/media/decode-video';
import { probeVideo } from '@media-search/media/probe-video';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { median } from '@media-search/search-engine/vectors';
import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_LOG_ERROR, AV_PIX_FMT_RGB24, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';
import sharp from 'sharp';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { findReference } from './embedder-by-name.ts';
import { listPhotographs } from './judged.ts';
import { waitForItem } from './library.ts';

/**
 * Indexing a minute of 1080p video: wall time, processor time and peak memory for each embedder, beside decoding alone with the same library,
 * which is the limit, and beside an FFmpeg program when one is on the PATH. Each in a process of its own, by turns. Then the photographs of
 * the folder a minute, by the service with two workers.
 *
 *     npm run node -- lab/bench/indexing.ts <folder of photographs> [--embedder <builtin|descriptors|folder> ...] [--rounds 5]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: 'string', multiple: true, default: ['builtin'] },
    rounds: { type: 'string', default: '5' },
    role: { type: 'string' },
  },
});
Log.setLevel(AV_LOG_ERROR);
const never = new AbortController().signal;
const loadEmbedder = createEmbedderLoader(2);
const shell = promisify(execFile);
const [source = '', output = '.'] = positionals;
if (source === '') throw new Error('Name a folder of photographs.');

type Measured = { seconds: number; processorSeconds: number; megabytes: number };

if (values.role !== undefined) {
  const began = performance.now();
  await (values.role === 'decode' ? decode(source) : index(source, output, values.role));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage();
  const measured = {
    seconds,
    processorSeconds: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
  };
  console.log(JSON.stringify(measured));
} else {
  await measureMinute();
  await measurePhotographs();
}

async function measureMinute(): Promise<void> {
  await using folder = await temporaryFolder();
  const file = folder.file('minute.mp4');
  await makeMinute(file);
  const ways: Record<string, () => Promise<Measured>> = { 'decode only': () => runAlone('decode', file, folder.path) };
  for (const embedder of values.embedder) {
    ways[`indexing, ${path.basename(embedder)}`] = () => runAlone(embedder, file, folder.path);
  }
  const found = await shell('ffmpeg', ['-version']).catch(() => null);
  if (found) ways['ffmpeg -f null'] = () => runFfmpeg(file);
  else console.log('No ffmpeg program is installed here.\n');
  const results = new Map(Object.keys(ways).map((name) => [name, [] as Measured[]]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, run] of Object.entries(ways)) results.get(name)?.push(await run());
  }
  const middle = (name: string, key: keyof Measured) => median((results.get(name) ?? []).map((each) => each[key]));
  console.log(
    '| a minute of 1080p | seconds | of decode only | seconds of processor | of decode only | peak memory, MiB |',
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const name of results.keys()) {
    const cells = (['seconds', 'processorSeconds'] as const).flatMap((key) => [
      middle(name, key).toFixed(1),
      (middle(name, key) / middle('decode only', key)).toFixed(2),
    ]);
    console.log(`| ${name} | ${cells.join(' | ')} | ${middle(name, 'megabytes').toFixed(0)} |`);
  }
}

async function measurePhotographs(): Promise<void> {
  const files = await listPhotographs(source);
  console.log(`\n| ${files.length} photographs, two workers | a minute |\n| --- | --- |`);
  for (const embedder of values.embedder) {
    await using service = await startTestService({ embedder, workers: 2 });
    const ids: string[] = [];
    const began = performance.now();
    for (const file of files) ids.push((await service.client.upload(path.join(source, file))).data.id);
    for (const id of ids) await waitForItem(service.client, id);
    const minutes = (performance.now() - began) / 60_000;
    console.log(`| ${path.basename(embedder)} | ${(files.length / minutes).toFixed(0)} |`);
  }
}

async function runAlone(role: string, file: string, folder: string): Promise<Measured> {
  const { stdout } = await shell(process.execPath, [import.meta.filename, '--role', role, file, folder]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured;
}

async function runFfmpeg(file: string): Promise<Measured> {
  const began = performance.now();
  await shell('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-']);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, processorSeconds: Number.NaN, megabytes: Number.NaN };
}

async function decode(file: string): Promise<void> {
  await using probed = await probeVideo(file, never);
  using decoder = await openDecoder(probed, never);
  for await (using packet of probed.demuxer.packets()) {
    if (packet?.streamIndex !== probed.video.index) continue;
    for (using frame of await decoder.decodeAll(packet)) void frame;
  }
  for (using frame of await decoder.decodeAll(null)) void frame;
}

async function index(file: string, outputDirectory: string, embedder: string): Promise<void> {
  await indexMedia({
    path: file,
    filename: path.basename(file),
    outputDirectory,
    embedders: [await loadEmbedder(await findReference(embedder))],
    signal: never,
    checkDuration: () => Promise.resolve(),
    onProgress: () => undefined,
  });
}

/** Twelve photographs, each moved over for five seconds, 25 frames a second. */
async function makeMinute(file: string): Promise<void> {
  const photographs = (await readdir(source)).filter((name) => /\.jpe?g$/i.test(name)).slice(0, 12);
  using encoder = await Encoder.create(FF_ENCODER_LIBX264, {
    bitrate: '8M',
    gopSize: 50,
    options: { preset: 'veryfast' },
  });
  await using target = await Muxer.open(file);
  const place = target.addStream(encoder);
  let pts = 0n;
  for (const name of photographs) {
    using moved = FilterAPI.create(
      "crop=1920:1080:'(iw-ow)*(0.5+0.5*sin(n/30))':'(ih-oh)*(0.5+0.5*cos(n/40))',format=yuv420p",
    );
    const size = { width: 2400, height: 1350 };
    const { data } = await sharp(path.join(source, name))
      .autoOrient()
      .resize(size.width, size.height, { fit: 'cover' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    for (let i = 0; i < 125; i++) {
      const timeBase = { num: 1, den: 25 };
      using still = Frame.fromVideoBuffer(data, { ...size, format: AV_PIX_FMT_RGB24, timeBase, pts: pts++ });
      for (using frame of await moved.processAll(still)) {
        for (using packet of await encoder.encodeAll(frame)) await target.writePacket(packet, place);
      }
    }
  }
  for (using packet of await encoder.encodeAll(null)) await target.writePacket(packet, place);
}

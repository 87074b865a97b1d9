import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { Encoder, FilterAPI, Muxer } from 'node-av/api';
import { AV_LOG_ERROR, AV_PIX_FMT_RGB24, FF_ENCODER_LIBX264 } from 'node-av/constants';
import { Frame, Log } from 'node-av/lib';
import sharp from 'sharp';
import { indexMedia } from '../server/indexing/index-media.ts';
import { openDecoder } from '../server/media/decode-video.ts';
import { probeVideo } from '../server/media/probe-video.ts';
import { descriptorsEmbedder } from '../server/models/descriptors/descriptors-embedder.ts';
import { temporaryFolder } from '../server/testing/running-service.ts';
import { quantile } from './vectors.ts';

/**
 * Indexing a minute of 1080p video with the descriptors: wall time and peak memory, beside decoding alone with the same library,
 * which is the limit, and beside an FFmpeg program when one is on the PATH. Each in a process of its own, by turns.
 *
 *     node bench/indexing.ts <folder of photographs> [--rounds 5]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, role: { type: 'string' } },
});
Log.setLevel(AV_LOG_ERROR);
const never = new AbortController().signal;
const shell = promisify(execFile);
const [source = '', output = '.'] = positionals;
if (source === '') throw new Error('Name a folder of photographs.');

if (values.role !== undefined) {
  const began = performance.now();
  await (values.role === 'decode' ? decode(source) : index(source, output));
  const seconds = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ seconds, megabytes: process.resourceUsage().maxRSS / 1024 }));
} else {
  await using folder = await temporaryFolder();
  const file = folder.file('minute.mp4');
  await makeMinute(file);
  const ways: Record<string, () => Promise<{ seconds: number; megabytes: number }>> = {
    'decode only': () => measure('decode', file, folder.path),
    indexing: () => measure('index', file, folder.path),
  };
  const found = await shell('ffmpeg', ['-version']).catch(() => null);
  if (found) ways['ffmpeg -f null'] = () => runFfmpeg(file);
  else console.log('No ffmpeg program is installed here.\n');
  const results = new Map(Object.keys(ways).map((name) => [name, [] as { seconds: number; megabytes: number }[]]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, run] of Object.entries(ways)) results.get(name)?.push(await run());
  }
  const median = (name: string, key: 'seconds' | 'megabytes') =>
    quantile(
      (results.get(name) ?? []).map((each) => each[key]),
      0.5,
    );
  console.log('| a minute of 1080p | seconds | of decode only | peak memory, MiB |');
  console.log('| --- | --- | --- | --- |');
  for (const name of results.keys()) {
    const ratio = median(name, 'seconds') / median('decode only', 'seconds');
    console.log(
      `| ${name} | ${median(name, 'seconds').toFixed(1)} | ${ratio.toFixed(2)} | ${median(name, 'megabytes').toFixed(0)} |`,
    );
  }
}

async function measure(role: string, file: string, folder: string): Promise<{ seconds: number; megabytes: number }> {
  const { stdout } = await shell(process.execPath, [import.meta.filename, '--role', role, file, folder]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { seconds: number; megabytes: number };
}

async function runFfmpeg(file: string): Promise<{ seconds: number; megabytes: number }> {
  const began = performance.now();
  await shell('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-']);
  return { seconds: (performance.now() - began) / 1000, megabytes: Number.NaN };
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

async function index(file: string, outputDirectory: string): Promise<void> {
  await indexMedia({
    path: file,
    filename: path.basename(file),
    outputDirectory,
    embedders: [descriptorsEmbedder],
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

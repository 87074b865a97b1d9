import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { openDecoder } from '@media-search/media/decode-video';
import { probeVideo } from '@media-search/media/probe-video';
import { median } from '@media-search/search-engine/vectors';
import { AV_LOG_ERROR } from 'node-av/constants';
import { Log } from 'node-av/lib';
import sharp from 'sharp';
import type { MediaItem } from '../../contract/media.ts';
import { drawImage, encodeVideo, makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { placeSounds, speak, speechRate } from '../../packages/models/testing/speak.ts';
import { startTestService, type TestClient } from '../../server/testing/running-service.ts';
import { panOver } from './drawn-films.ts';
import { listBlankPhotographs } from './drawn-images.ts';
import { layLine, loadFonts, pickWord } from './glyphs.ts';
import { createRandom } from './shot-films.ts';
import { spokenSentences } from './spoken-sentences.ts';

/**
 * What reading on-screen text and speech costs:
 * - a minute of 1080p (four photographs, moved over for five seconds each, three times), with three lines of text in each photograph and
 *   a speaker for three quarters of the time, and one without text and sound: seconds of processor time beside decoding alone, each in a
 *   process of its own, by turns, loading of the models included;
 * - how long a photograph takes until it is complete at a service with one worker: with nothing else to do, and while the worker reads the text,
 *   or the speech, of a video of an hour;
 * - the peak memory of a worker that indexes with the built-in embedder and reads text and speech of such a minute.
 *
 *     npm run node -- lab/bench/text-cost.ts <folder of photographs> [--rounds 3] [--only minute|queue|memory]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, role: { type: 'string' }, only: { type: 'string' } },
});
Log.setLevel(AV_LOG_ERROR);
// The service reads no SVG; what is drawn here is SVG.
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
const [source = ''] = positionals;
if (source === '') throw new Error('Name a folder of photographs.');
const shell = promisify(execFile);
/** Seconds of a film, and how often it is read to make a minute. */
const filmSeconds = 20;
const times = 3;
const fps = 25;
const frame = { width: 1920, height: 1080 };
const never = new AbortController().signal;

if (values.role !== undefined) await playRole(source, values.role);
else {
  await using folder = await temporaryFolder();
  const [rich, plainFile] = [folder.file('rich.mp4'), folder.file('plain.mp4')];
  if (values.only !== 'queue') await makeFilm(rich, true);
  if (values.only === undefined || values.only === 'minute') {
    await makeFilm(plainFile, false);
    await measureMinute({ 'with text and speech': rich, 'without text and sound': plainFile });
  }
  if (values.only === undefined || values.only === 'memory') await measureMemory(rich);
  if (values.only === undefined || values.only === 'queue') await measureQueue(folder.path);
}

/** Does the work of one process and prints what it cost. */
async function playRole(file: string, role: string): Promise<void> {
  // Only the processes that read load what reads.
  const { readTexts } = await import('./read-texts.ts');
  const began = process.cpuUsage();
  for (let i = 0; i < times; i++) {
    if (role === 'decode') await decode(file);
    if (role === 'ocr' || role === 'both') await readTexts('ocr', file, filmSeconds);
    if (role === 'speech' || role === 'both') await readTexts('speech', file, filmSeconds);
  }
  const { user, system } = process.cpuUsage(began);
  console.log((user + system) / 1e6);
}

async function decode(file: string): Promise<void> {
  await using probed = await probeVideo(file, never);
  using decoder = await openDecoder(probed, never);
  for await (using packet of probed.demuxer.packets()) {
    if (packet?.streamIndex !== probed.video.index) continue;
    for (using decoded of await decoder.decodeAll(packet)) void decoded;
  }
  for (using decoded of await decoder.decodeAll(null)) void decoded;
}

async function makeFilm(file: string, isRich: boolean): Promise<void> {
  const random = createRandom(60);
  const fonts = await loadFonts();
  // Some photographs hold writing of their own.
  const photographs = (await listBlankPhotographs(source, 'test')).slice(0, 4);
  const shapes = () =>
    Array.from({ length: 3 }, (_, i) => {
      const line = layLine(fonts['sans, bold'], [pickWord(random), pickWord(random)], 44);
      return `<path transform="translate(${500 + 250 * i} ${400 + 280 * i})" d="${line.path}" fill="white" stroke="black" stroke-width="5" paint-order="stroke"/>`;
    }).join('');
  const each = filmSeconds / photographs.length;
  const pans = await Promise.all(photographs.map((name) => panOver(name, each, frame, isRich ? shapes() : '')));
  function* draw() {
    for (let pts = 0; pts < filmSeconds * fps; pts++) {
      const data = pans[Math.floor(pts / (each * fps))]?.(pts % (each * fps)) ?? Buffer.alloc(0);
      yield { image: { ...frame, data }, pts };
    }
  }
  const audio = isRich ? await speakFor(filmSeconds) : false;
  await encodeVideo(file, draw(), { ...frame, fps, bitrate: '8M', audio });
}

/** Sentences that follow each other with a pause of a second. */
async function speakFor(seconds: number): Promise<Float32Array> {
  const sounds: { at: number; samples: Float32Array }[] = [];
  let at = 0.5;
  for (const sentence of [...spokenSentences.test, ...spokenSentences.development]) {
    const { samples } = await speak(sentence);
    if (at + samples.length / speechRate > seconds) break;
    sounds.push({ at, samples });
    at += samples.length / speechRate + 1;
  }
  return placeSounds(seconds, sounds);
}

async function measureMinute(files: Record<string, string>): Promise<void> {
  const roles = ['decode', 'ocr', 'speech', 'both'];
  const costs = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, file] of Object.entries(files)) {
      for (const role of roles) {
        const { stdout } = await shell(process.execPath, [import.meta.filename, '--role', role, file]);
        const key = `${name}: ${role}`;
        costs.set(key, [...(costs.get(key) ?? []), Number(stdout.trim().split('\n').at(-1))]);
      }
    }
  }
  const middle = (key: string) => median(costs.get(key) ?? []);
  console.log('| a minute of 1080p | seconds of processor | of decode only |');
  console.log('| --- | --- | --- |');
  for (const key of costs.keys()) {
    const decodeOnly = `${key.split(':')[0]}: decode`;
    const seconds = middle(key);
    const ratio = seconds / middle(decodeOnly);
    console.log(`| ${key} | ${seconds.toFixed(1)} | ${ratio.toFixed(2)} |`);
  }
}

async function measureMemory(file: string): Promise<void> {
  await using service = await startTestService({ embedder: 'builtin', workers: 1, ocr: 'auto', speech: 'auto' });
  const { data } = await service.client.upload(file);
  const item = await waitFor(service.client, data.id, ({ ocr, speech }) => isSettled(ocr) && isSettled(speech));
  const peaks = await Promise.all((await childrenOf(process.pid)).map(readPeak));
  const worker = peaks.find(({ command }) => command.includes('jobs/worker.ts'));
  console.log(
    `\nPeak memory of the worker that indexed and read it (OCR ${item.ocr.state}, speech ${item.speech.state}): ${worker?.megabytes.toFixed(0)} MiB.`,
  );
}

function isSettled({ state }: { state: string }): boolean {
  return state !== 'pending';
}

/** Polls an item. */
async function waitFor(client: TestClient, id: string, until: (item: MediaItem) => boolean): Promise<MediaItem> {
  for (;;) {
    const { data } = await client.get<MediaItem>(`/media/${id}`);
    if (data.status === 'error') throw new Error(data.error?.message);
    if (until(data)) return data;
    await sleep(20);
  }
}

async function childrenOf(parent: number): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    processes.map(
      async (id) => (await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')).match(/PPid:\s+(\d+)/)?.[1],
    ),
  );
  return processes.filter((_, i) => parents[i] === String(parent));
}

async function readPeak(id: string): Promise<{ command: string; megabytes: number }> {
  const [status, command] = await Promise.all(
    ['status', 'cmdline'].map((name) => readFile(`/proc/${id}/${name}`, 'utf8').catch(() => '')),
  );
  return { command: command ?? '', megabytes: Number(/VmHWM:\s+(\d+)/.exec(status ?? '')?.[1] ?? 0) / 1024 };
}

/** Photographs until they are complete, seconds: alone, and beside the reading of an hour. */
async function measureQueue(folder: string): Promise<void> {
  const hour = path.join(folder, 'hour.mp4');
  await makeHour(hour);
  const alone = await timePhotographs({ ocr: 'auto', speech: 'auto' }, folder, null);
  const besideText = await timePhotographs({ ocr: 'auto', speech: 'off' }, folder, hour);
  const besideSpeech = await timePhotographs({ ocr: 'off', speech: 'auto' }, folder, hour);
  console.log('\n| a photograph until it is complete, one worker | median, s | longest, s |\n| --- | --- | --- |');
  const rows = {
    'nothing else': alone,
    'while on-screen text of an hour is read': besideText,
    'while speech of an hour is read': besideSpeech,
  };
  for (const [name, times] of Object.entries(rows)) {
    console.log(`| ${name} | ${median(times).toFixed(2)} | ${Math.max(...times).toFixed(2)} |`);
  }
}

/** An hour of a small picture, a frame a second, whose colour changes each ten seconds, and speech. */
async function makeHour(file: string): Promise<void> {
  const seconds = 3600;
  const size = { width: 320, height: 180 };
  const images = Array.from({ length: 36 }, (_, i) =>
    drawImage(plain(60 + 5 * i, 200 - 5 * i, 90), size.width, size.height),
  );
  const frames = Array.from({ length: seconds }, (_, pts) => ({ image: images[Math.floor(pts / 10) % 36]!, pts }));
  const said = await speakFor(60);
  const audio = new Float32Array(seconds * speechRate);
  for (let i = 0; i < seconds / 60; i++) audio.set(said, i * said.length);
  await encodeVideo(file, frames, { ...size, fps: 1, audio });
}

async function timePhotographs(
  settings: { ocr: 'auto' | 'off'; speech: 'auto' | 'off' },
  folder: string,
  hour: string | null,
): Promise<number[]> {
  await using service = await startTestService({ ...settings, workers: 1, maxUploadBytes: 2 ** 32 });
  const { client } = service;
  const read = settings.speech === 'off' ? 'ocr' : 'speech';
  const video = hour === null ? null : (await client.upload(hour)).data.id;
  if (video !== null) await waitFor(client, video, (item) => (item[read].progress ?? 0) > 0);
  const times: number[] = [];
  for (let i = 0; i < 10; i++) {
    const file = path.join(folder, `${read}-${hour === null}-${i}.jpg`);
    await makePhoto(file, plain(20 * i, 90, 200 - 10 * i), { width: 1600, height: 1200 });
    const began = performance.now();
    const { data } = await client.upload(file);
    await waitFor(client, data.id, ({ status }) => status === 'complete');
    times.push((performance.now() - began) / 1000);
    await sleep(1500 + 300 * i);
  }
  if (video !== null) {
    const { data } = await client.get<MediaItem>(`/media/${video}`);
    console.log(
      `The hour: ${read} ${data[read].state}, ${Math.round(100 * (data[read].progress ?? 1))} % read at the end.`,
    );
  }
  return times;
}

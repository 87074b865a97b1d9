import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '@media-search/search-engine/vectors';
import { makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { beginMemoryPeak, processorTime, readMemoryPeak } from './process-use.ts';
import { startSeededService } from './seeded-service.ts';
import { startSender } from './uploads/sender.ts';
import { quantile } from './vectors.ts';

/**
 * Resumable uploads (tus) beside the ordinary upload in one form, and beside `@tus/server` with its file store, by turns: time,
 * processor time of the service, its memory, and how long other requests wait meanwhile. Linux only: processor time is read from /proc.
 *
 *     npm run node -- lab/bench/uploads.ts [--megabytes 256] [--rounds 5]
 */

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '256' }, rounds: { type: 'string', default: '5' } },
});

await using service = await startSeededService(5000);
const film = path.join(service.folder, 'film.mp4');
await makeVideo(film, { scenes: [{ paint: plain(40, 80, 160), seconds: 1 }] });
const filmBytes = await readFile(film);
const peer = await startPeer();
const sender = startSender();

const ways = {
  tus: { way: 'tus', url: service.url, key: service.key, pid: service.pid },
  'one form': { way: 'form', url: service.url, key: service.key, pid: service.pid },
  '@tus/server': { way: 'tus', url: peer.url, key: 'none', pid: peer.child.pid ?? 0 },
} as const;
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

/** Light requests, which are asked by turns while something is sent. */
const light = (url: string) => ['workspace', 'media/search?q=red'].map((what) => `${url}/api/v1/${what}`);

type Measured = { seconds: number; processor: number; grown: number; workspace: number[]; search: number[] };

async function startPeer(): Promise<{ url: string; child: ChildProcess }> {
  const folder = path.join(service.folder, 'peer');
  await mkdir(folder);
  const program = path.join(import.meta.dirname, 'uploads', 'tus-peer.ts');
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [greeting] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: String(greeting).trim(), child };
}

let made = 0;

/** A complete film followed by a `free` box; no two are alike. */
async function makeFile(megabytes: number): Promise<string> {
  const file = path.join(service.folder, `${(made += 1)}.mp4`);
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1, 0);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(megabytes * 2 ** 20 + 16), 8);
  await writeFile(file, Buffer.concat([filmBytes, head]));
  const block = Buffer.alloc(2 ** 20, `${made} ${performance.now()}`);
  await using target = await open(file, 'a');
  for (let i = 0; i < megabytes; i++) await target.write(block);
  await target.sync();
  return file;
}

/** Asks until it is told to stop, one request after the other. */
function askMeanwhile(url: string, key: string): () => Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  const stopping = new AbortController();
  const asking = (async () => {
    for (let i = 0; !stopping.signal.aborted; i++) {
      const began = performance.now();
      const response = await fetch(light(url)[i % 2] ?? '', { headers: { Authorization: `Bearer ${key}` } });
      await response.arrayBuffer();
      (times[i % 2] as number[]).push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return async () => {
    stopping.abort();
    await asking;
    return times;
  };
}

/** @param asks whether to ask light requests meanwhile: their processor time counts then too */
async function measure(name: Way, megabytes: number, count: number, asks: boolean): Promise<Measured> {
  const { pid, ...to } = ways[name];
  const files: string[] = [];
  for (let i = 0; i < count; i++) files.push(await makeFile(megabytes));
  const before = await beginMemoryPeak(pid);
  const stop = asks ? askMeanwhile(to.url, to.key) : () => Promise.resolve<[number[], number[]]>([[], []]);
  const began = await processorTime(pid);
  const seconds = await sender.send({ ...to, files });
  const processor = (await processorTime(pid)) - began;
  const [workspace, search] = await stop();
  const grown = (await readMemoryPeak(pid)) - before;
  for (const file of files) await rm(file);
  await settle();
  return { seconds: seconds / count, processor: processor / count, grown, workspace, search };
}

/** Waits until all that was sent is indexed, which takes processor time of its own. */
async function settle(): Promise<void> {
  for (;;) {
    const pending = await service.client.get<unknown[]>('/media?status=pending');
    const indexing = await service.client.get<unknown[]>('/media?status=indexing');
    if (pending.data.length + indexing.data.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function compare(megabytes: number, count: number, asks: boolean): Promise<Record<Way, Measured[]>> {
  const measured: Record<Way, Measured[]> = { tus: [], 'one form': [], '@tus/server': [] };
  for (let round = 0; round < Number(values.rounds); round++) {
    const turned = names.map((_, i) => names[(i + round) % names.length] as Way);
    for (const name of turned) measured[name].push(await measure(name, megabytes, count, asks));
  }
  return measured;
}

/** Times of light requests while nothing is sent. */
async function measureAlone(url: string, key: string): Promise<[number[], number[]]> {
  const stop = askMeanwhile(url, key);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return stop();
}

const spread = (times: number[]) =>
  `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)} / ${Math.max(...times).toFixed(0)}`;
const middle = (list: Measured[], field: 'seconds' | 'processor' | 'grown') => median(list.map((one) => one[field]));

// What any first upload costs is not part of the measurement.
for (const name of names) await measure(name, 8, 1, false);

console.log('| | time, s | processor time, ms | a MiB, ms | of one form | memory grown by, MiB |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [megabytes, count] of [
  [1, 20],
  [5, 20],
  [Number(values.megabytes), 1],
] as const) {
  const measured = await compare(megabytes, count, false);
  for (const name of names) {
    const list = measured[name];
    const ratio = median(list.map(({ processor }, i) => processor / (measured['one form'][i] as Measured).processor));
    const processor = middle(list, 'processor');
    const row = [
      `${megabytes} MiB, ${name}`,
      middle(list, 'seconds').toFixed(3),
      processor.toFixed(0),
      (processor / megabytes).toFixed(2),
      ratio.toFixed(2),
      middle(list, 'grown').toFixed(0),
    ];
    console.log(`| ${row.join(' | ')} |`);
  }
}

console.log(`\n| while ${values.megabytes} MiB are sent by | GET /workspace, ms p50 / p99 / longest | search |`);
console.log('| --- | --- | --- |');
const [workspace, search] = await measureAlone(service.url, service.key);
console.log(`| nothing | ${spread(workspace)} | ${spread(search)} |`);
const beside = await compare(Number(values.megabytes), 1, true);
for (const name of names) {
  const list = beside[name];
  console.log(
    `| ${name} | ${spread(list.flatMap((one) => one.workspace))} | ${spread(list.flatMap((one) => one.search))} |`,
  );
}
sender.end();
peer.child.kill('SIGINT');

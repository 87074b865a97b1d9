import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { appendFile, open, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parseArgs, promisify } from 'node:util';
import { makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { readGreeting, spawnProgram } from '../../server/testing/programs.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { quantile } from './vectors.ts';

/**
 * Uploading one large file to the service, a process of its own: time beside `cat` to the same disk with sha256 and a sync, by turns, and
 * how far the service's memory grows beyond what it is after a small upload. Linux only: memory is read from /proc.
 *
 *     npm run node -- lab/bench/upload.ts [--megabytes 2048] [--rounds 3]
 */

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '2048' }, rounds: { type: 'string', default: '3' } },
});
const shell = promisify(execFile);
await using folder = await temporaryFolder();

/** A complete film followed by a large `free` box, whose content differs by round. */
async function makeFile(round: number, megabytes: number): Promise<string> {
  const file = folder.file(`film-${round}.mp4`);
  await makeVideo(file, { scenes: [{ paint: plain(40 + round, 80, 160), seconds: 1 }] });
  const length = megabytes * 2 ** 20;
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1, 0);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(length + 16), 8);
  await appendFile(file, head);
  const block = Buffer.alloc(2 ** 22, Math.random().toString(36));
  await using target = await open(file, 'a');
  for (let written = 0; written < length; written += block.length) await target.write(block);
  await target.sync();
  return file;
}

const service = spawnProgram('main', [], {
  DATA_DIR: folder.file('data'),
  PORT: '0',
  WORKERS: '1',
  EMBEDDER: 'descriptors',
});
const { url, key } = await readGreeting(service);
service.stdout?.resume();
service.stderr?.resume();
const client = createTestClient(url, key);

const residentMemory = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

async function upload(file: string): Promise<{ seconds: number; id: string; grown: number }> {
  const before = await residentMemory();
  let most = before;
  const watch = setInterval(() => void residentMemory().then((now) => (most = Math.max(most, now))), 50);
  const began = performance.now();
  const boundary = 'between-parts';
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  const end = `\r\n--${boundary}--\r\n`;
  const answer = await new Promise<{ data: { id: string } }>((resolve, reject) => {
    const sending = request(`${url}/api/v1/media/upload`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    });
    sending.on('response', (response) => void json(response).then((body) => resolve(body as never), reject));
    sending.on('error', reject);
    sending.write(start);
    const source = createReadStream(file, { highWaterMark: 2 ** 20 });
    pipeline(source, sending, { end: false }).then(() => sending.end(end), reject);
  });
  const seconds = (performance.now() - began) / 1000;
  clearInterval(watch);
  return { seconds, id: answer.data.id, grown: most - before };
}

async function copy(file: string): Promise<number> {
  const began = performance.now();
  const target = folder.file('copy');
  await shell('sh', ['-c', 'cat "$1" | tee "$2" | sha256sum && sync "$2"', 'sh', file, target]);
  const seconds = (performance.now() - began) / 1000;
  await rm(target);
  return seconds;
}

const times: { ours: number[]; cat: number[]; ratio: number[]; grown: number[] } = {
  ours: [],
  cat: [],
  ratio: [],
  grown: [],
};
// Memory that any first upload takes is not part of the measurement.
const small = await makeFile(-1, 4);
await client.delete(`/media/${(await upload(small)).id}`);
let size = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  const file = await makeFile(round, Number(values.megabytes));
  size = (await stat(file)).size / 2 ** 20;
  const cat = await copy(file);
  const { seconds, id, grown } = await upload(file);
  await client.delete(`/media/${id}`);
  await rm(file);
  times.ours.push(seconds);
  times.cat.push(cat);
  times.ratio.push(seconds / cat);
  times.grown.push(grown);
}
service.kill('SIGINT');

const half = (list: number[]) => quantile(list, 0.5);
console.log(`${size.toFixed(0)} MiB, ${values.rounds} rounds\n`);
console.log('| | median | MiB a second |');
console.log('| --- | --- | --- |');
console.log(`| upload | ${half(times.ours).toFixed(1)} s | ${(size / half(times.ours)).toFixed(0)} |`);
console.log(`| cat, sha256, sync | ${half(times.cat).toFixed(1)} s | ${(size / half(times.cat)).toFixed(0)} |`);
console.log(
  `\nratio ${half(times.ratio).toFixed(2)}; memory grown by at most ${Math.max(...times.grown).toFixed(0)} MiB`,
);

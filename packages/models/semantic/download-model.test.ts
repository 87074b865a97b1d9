import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { abortFirstDownload, hubPreset, hubRevision, startModelHub } from '../testing/model-hub.ts';
import { makeTinyModel } from '../testing/tiny-model.ts';
import { downloadModel } from './download-model.ts';
import { readModelFolder } from './model-folder.ts';

const weights = 'onnx/text_model_quantized.onnx';

async function setUp() {
  const folder = await temporaryFolder();
  const source = folder.file('source');
  await makeTinyModel(source, 'siglip', { quantized: true });
  const target = folder.file('models/model');
  const partial = `${target}.${hubRevision.slice(0, 12)}.partial`;
  const download = (hub: { url: string }, onProgress = (_done: number, _total: number) => undefined) =>
    downloadModel(hubPreset, target, { hub: hub.url, onProgress, signal: new AbortController().signal });
  return {
    source,
    target,
    partial,
    download,
    /** Whether the model has arrived, byte for byte. */
    async arrived(): Promise<boolean> {
      const [there, wanted] = await Promise.all([target, source].map((each) => readFile(path.join(each, weights))));
      return (there as Buffer).equals(wanted as Buffer) && (await readModelFolder(target)).precision === 'q8';
    },
    sizeOf: (file: string) =>
      stat(path.join(partial, file)).then(
        ({ size }) => size,
        () => 0,
      ),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const askedFor = (hub: { requests: string[] }, file: string) =>
  hub.requests
    .map((each) => each.split(' '))
    .filter(([address]) => address?.endsWith(`/${hubRevision}/${file}`))
    .map(([, range = 'all']) => range);

test('an interrupted download is resumed by a range', async () => {
  await using t = await setUp();
  await using hub = await startModelHub(t.source, { send: abortFirstDownload(100) });
  await expect(t.download(hub)).rejects.toThrow(/broke off/);
  expect(await t.sizeOf(weights)).toBe(100);
  await t.download(hub);
  expect(askedFor(hub, weights)).toEqual(['all', 'bytes=100-']);
  expect(await t.arrived()).toBe(true);
  expect(await readdir(path.dirname(t.target))).toEqual(['model']);
});

test('numbers that the hub has apart from the weights come with them, and the revision follows them', async () => {
  await using t = await setUp();
  const [data, other] = [`${weights}_data`, 'onnx/text_model.onnx_data'];
  for (const name of [data, other]) await writeFile(path.join(t.source, name), 'numbers');
  const listed = { ...hubPreset, files: [...hubPreset.files, data, other] };
  await using hub = await startModelHub(t.source, { preset: listed });
  await t.download(hub);
  expect(await t.arrived()).toBe(true);
  expect(await readFile(path.join(t.target, data), 'utf8')).toBe('numbers');
  // Those of other weights stay there.
  await expect(stat(path.join(t.target, other))).rejects.toThrow(/ENOENT/);
  const { revision } = await readModelFolder(t.target);
  await writeFile(path.join(t.target, data), 'others');
  expect((await readModelFolder(t.target)).revision).not.toBe(revision);
});

test('a hub without ranges sends all of it again, which replaces the partial file', async () => {
  await using t = await setUp();
  await using hub = await startModelHub(t.source, { ranges: false, send: abortFirstDownload(100) });
  await expect(t.download(hub)).rejects.toThrow(/broke off/);
  const progress: [number, number][] = [];
  await t.download(hub, (done, total) => void progress.push([done, total]));
  expect(askedFor(hub, weights)).toEqual(['all', 'bytes=100-']);
  expect(await t.arrived()).toBe(true);
  for (const [done, total] of progress) expect(done).toBeLessThanOrEqual(total);
  expect(progress.at(-1)?.[0]).toBe(progress.at(-1)?.[1]);
});

test.each([
  ['weights, named by SHA-256', weights],
  ['what describes the model, named as git does', 'config.json'],
])('a wrong checksum: %s are removed, one sentence says so, and the model does not appear', async (_, file) => {
  await using t = await setUp();
  let wrong = true;
  await using hub = await startModelHub(t.source, {
    send({ name, content }, response) {
      if (name !== file || !wrong) return false;
      wrong = false;
      // The length is right; only the checksum differs.
      response.end(Buffer.alloc(content.length, 7));
      return true;
    },
  });
  const failure: unknown = await t.download(hub).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'ModelError' });
  expect((failure as Error).message).toMatch(
    /^[^.\n]+\.[a-z]+ did not arrive as it should; it will be fetched again\.$/,
  );
  expect(await t.sizeOf(file)).toBe(0);
  await expect(stat(t.target)).rejects.toThrow(/ENOENT/);
  await t.download(hub);
  expect(askedFor(hub, file)).toEqual(['all', 'all']);
  expect(await t.arrived()).toBe(true);
});

test('a hub that sends more than it announced is stopped', async () => {
  await using t = await setUp();
  await using hub = await startModelHub(t.source, {
    send({ name }, response) {
      if (name !== weights) return false;
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(2 ** 16)));
      };
      response.on('drain', more);
      more();
      return true;
    },
  });
  await expect(t.download(hub)).rejects.toThrow(/more than/);
  await expect(stat(t.target)).rejects.toThrow(/ENOENT/);
});

test('the next process resumes the download of a killed one', async () => {
  await using t = await setUp();
  let first = true;
  await using hub = await startModelHub(t.source, {
    send({ name, content }, response) {
      if (name !== weights || !first) return false;
      first = false;
      // Half of it, then nothing more: the process waits when it is killed.
      response.writeHead(200, { 'Content-Length': content.length });
      response.write(content.subarray(0, content.length >> 1));
      return true;
    },
  });
  const { size } = await stat(path.join(t.source, weights));
  const program = `
    import { downloadModel } from ${JSON.stringify(new URL('download-model.ts', import.meta.url).href)};
    const [preset, folder, hub] = JSON.parse(process.argv[1]);
    await downloadModel(preset, folder, { hub, onProgress() {}, signal: new AbortController().signal });
  `;
  const argument = JSON.stringify([hubPreset, t.target, hub.url]);
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, argument], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  await expect.poll(() => t.sizeOf(weights), { timeout: 30_000 }).toBe(size >> 1);
  child.kill('SIGKILL');
  await exited;
  await expect(stat(t.target)).rejects.toThrow(/ENOENT/);
  await t.download(hub);
  expect(askedFor(hub, weights)).toEqual(['all', `bytes=${size >> 1}-`]);
  // Complete files are not downloaded again.
  expect(askedFor(hub, 'tokenizer.json')).toEqual(['all']);
  expect(await t.arrived()).toBe(true);
});

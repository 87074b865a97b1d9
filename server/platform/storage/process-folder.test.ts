import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { claimProcessFolder } from './process-folder.ts';

test('each process has a folder; that of one that was killed goes at a later start, those of others stay', async () => {
  await using data = await temporaryFolder();
  const module = path.join(import.meta.dirname, 'process-folder.ts');
  const script = `
    const { claimProcessFolder } = await import(${JSON.stringify(module)});
    console.log((await claimProcessFolder(${JSON.stringify(data.path)})).path);
    setInterval(() => undefined, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(other.stdout, 'data')) as [Buffer];
  const theirs = String(line).trim();
  await writeFile(path.join(theirs, 'half-done'), 'x');

  const first = await claimProcessFolder(data.path);
  const second = await claimProcessFolder(data.path);
  const names = async () => (await readdir(data.file('processes'))).toSorted();
  expect(await names()).toEqual([theirs, first.path, second.path].map((each) => path.basename(each)).toSorted());

  // An hour later. The locks of those that run still hold.
  const hourAgo = Date.now() / 1000 - 3600;
  for (const folder of [theirs, first.path]) await utimes(folder, hourAgo, hourAgo);
  const exit = once(other, 'exit');
  other.kill('SIGKILL');
  await exit;
  await using third = await claimProcessFolder(data.path);
  expect(await names()).toEqual([first.path, second.path, third.path].map((each) => path.basename(each)).toSorted());

  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  expect(await names()).toEqual([path.basename(third.path)]);
});

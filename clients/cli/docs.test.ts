import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { compileCache } from '../../server/testing/programs.ts';
import { createTusRequests } from '../../server/testing/tus-requests.ts';
import { startLibrary } from './testing/library.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');

test('every command of docs/cli.md does what the page says', async ({ skip }) => {
  skip(
    spawnSync('bash', ['--version']).status !== 0,
    'this machine has no bash; the commands are tested without it too',
  );
  await using library = await startLibrary();
  const bin = library.files.file('bin');
  await mkdir(bin);
  // The file that is packed, in a folder without any library.
  const [build, installed] = [
    path.join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
    library.files.file('installed'),
  ];
  await run(process.execPath, [build, 'build', '--logLevel', 'warn', '--outDir', installed], {
    cwd: import.meta.dirname,
  });
  await writeFile(path.join(installed, 'package.json'), '{"type":"module"}');
  const program = path.join(installed, 'media-search.js');
  expect((await readFile(program, 'utf8')).startsWith('#!/usr/bin/env node\n')).toBe(true);
  await writeFile(path.join(bin, 'media-search'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  const page = await readFile(path.join(root, 'docs', 'cli.md'), 'utf8');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(6);
  const script = blocks.map((block, i) => `printf '\n#%s#\n' ${i}\n${block}`).join('\n');
  const surroundings = {
    cwd: library.files.path,
    env: {
      ...compileCache,
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: library.files.path,
      URL: library.url,
      KEY: library.key,
    },
  };
  const at = await createTusRequests(library).create(1000, { filename: 'ferry.mp4' });
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], surroundings);
  const outputs = stdout.split(/\n#\d+#\n/).slice(1);
  const output = (command: string) => outputs[blocks.findIndex((block) => block.includes(command))] ?? '';
  expect(output('login')).toContain(`My workspace\t${library.url}\t`);
  expect(output('search dark blue --limit 3')).toMatch(/^0\.\d+\tharbour\.mp4\t0\t2\thttp/);
  expect(output('download')).toContain('originals/harbour.mp4\n');
  expect(output('delete')).toBe(`${library.video}\n`);
  const open = at.split('/').at(-1) ?? '';
  expect(output('uploads discard')).toMatch(new RegExp(`^${open}\twaiting\t0\t1000\t.*\tferry\\.mp4\n${open}\n$`));
  expect(output('creators create')).toContain('\tBruno Dias\n');
  expect(output('--dry-run')).toMatch(/^present\t[0-9a-f-]{36}\tharbour\.mp4\t\n/);
  const completion = await readFile(library.files.file('media-search.bash'), 'utf8');
  expect(completion).toContain('complete -o bashdefault');
  // What runs until it is ended: it starts, says so, and ends well.
  await mkdir(library.files.file('Recordings'));
  const endless = [...page.matchAll(/^```text\n(media-search .*)\n```$/gm)].map(([, command = '']) => command);
  expect(endless.map((command) => command.split(' ')[1])).toEqual(['watch', 'events']);
  for (const command of endless) {
    const child = spawn('bash', ['--norc', '-c', `exec ${command}`], {
      ...surroundings,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(said)).toMatch(/^(?:Watching|Following) /);
    child.kill();
    expect(await once(child, 'close')).toEqual([0, null]);
  }
  expect((await library.client.get<{ name: string }[]>('/creators?q=Camera')).data).toMatchObject([
    { name: 'Camera 1' },
  ]);
  // So large that it is sent in parts. What Node thinks of the libraries in the file is nothing for its users.
  await writeFile(library.files.file('large.mp4'), Buffer.alloc(5 * 2 ** 20));
  const large = await run(process.execPath, [program, 'upload', library.files.file('large.mp4')], {
    env: { HOME: library.files.path, MEDIA_SEARCH_URL: library.url, MEDIA_SEARCH_KEY: library.key },
  }).catch((error: unknown) => error as { stderr: string });
  expect(large.stderr).toMatch(/^\S*large\.mp4: [^\n]+\n1 failed\.\n$/);
}, 120_000);

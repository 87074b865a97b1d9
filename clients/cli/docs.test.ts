import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { readBlocks, repository, runDocument } from '../../scripts/document-blocks.ts';
import { compileCache } from '../../server/testing/programs.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { drawPhotos } from './testing/draw-photos.ts';
import { fakeKey, startFakeImmich } from './testing/fake-immich.ts';

const run = promisify(execFile);

test('every command of docs/cli.md does what the page says, from an empty folder on', async ({ skip }) => {
  skip(
    spawnSync('bash', ['--version']).status !== 0,
    'this machine has no bash; the commands are tested without it too',
  );
  await using service = await startTestService();
  await using immich = await startFakeImmich();
  const [photo = Buffer.alloc(0)] = await drawPhotos(1);
  immich.add({ name: 'immich.jpg', bytes: photo });
  await using folder = await temporaryFolder();
  // Where `npm install --global` and `login` put what the page makes: beside the empty folder, not on this machine.
  await using elsewhere = await temporaryFolder();
  const env = {
    ...compileCache,
    ...service.environment,
    IMMICH_API_KEY: fakeKey,
    // oxlint-disable-next-line node/no-process-env -- where the machine has npm and the tools of a shell
    PATH: `${elsewhere.file('bin')}:${process.env['PATH'] ?? ''}`,
    NPM_CONFIG_PREFIX: elsewhere.path,
    HOME: elsewhere.path,
  };
  const output = await runDocument('docs/cli.md', {
    cwd: folder.path,
    env,
    replace: {
      '~/media-search': `'${repository}'`,
      'http://127.0.0.1:8080': service.url,
      'http://nas:2283': immich.url,
    },
  });
  expect(output('login')).toContain(`My workspace\t${service.url}\t`);
  // Each file when it is there, whichever that is first.
  for (const name of ['harbour.mp4', 'photo.jpg'])
    expect(output('--wait')).toMatch(new RegExp(`^uploaded\\t[0-9a-f-]{36}\\t${name}\\t$`, 'm'));
  expect(output('--dry-run')).toMatch(/present\t[0-9a-f-]{36}\tharbour\.mp4\t\n/);
  expect(output('import immich')).toMatch(/^copied\t[0-9a-f-]{36}\timmich\.jpg\t$/m);
  expect(output('search dark blue --limit 3')).toMatch(/^0\.\d+\t\S+\t\d*\.?\d*\t\d*\.?\d*\thttp/);
  const [, video = ''] = /^id\t(\S+)$/m.exec(output('download')) ?? [];
  expect(output('download')).toContain('originals/harbour.mp4\n');
  expect(output('delete')).toBe(`${video}\n`);
  expect(output('creators create')).toContain('\tBruno Dias\n');
  expect(await readFile(folder.file('media-search.bash'), 'utf8')).toContain('complete -o bashdefault');
  expect((await readFile(elsewhere.file('bin/media-search'), 'utf8')).startsWith('#!/usr/bin/env node\n')).toBe(true);
  // What runs until it is ended: it starts, says so, and ends well.
  await mkdir(elsewhere.file('Recordings'));
  const endless = readBlocks('docs/cli.md').flatMap(({ text, notRun }) => (notRun === undefined ? [] : [text.trim()]));
  expect(endless.map((command) => command.split(' ')[1])).toEqual(['watch', 'events']);
  for (const command of endless) {
    const child = spawn('bash', ['--norc', '-c', `exec ${command}`], {
      cwd: folder.path,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(said)).toMatch(/^(?:Watching|Following) /);
    child.kill();
    expect(await once(child, 'close')).toEqual([0, null]);
  }
  expect((await service.client.get<{ name: string }[]>('/creators?q=Camera')).data).toMatchObject([
    { name: 'Camera 1' },
  ]);
  // So large that it is sent in parts. What Node thinks of the libraries in the file is nothing for its users.
  await writeFile(folder.file('large.mp4'), Buffer.alloc(5 * 2 ** 20));
  const installed = path.join(elsewhere.path, 'bin', 'media-search');
  const large = await run(installed, ['upload', folder.file('large.mp4')], { env }).catch(
    (error: unknown) => error as { stderr: string },
  );
  expect(large.stderr).toMatch(/^\S*large\.mp4: [^\n]+\n1 failed\.\n$/);
});

import { once } from 'node:events';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient } from '../../testing/running-service.ts';

/** The processes that a process has started, on its main thread. */
async function childrenOf(parent: number): Promise<string[]> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  return children.split(' ').filter((id) => id !== '');
}

test.skipIf(process.platform !== 'linux')(
  'processes that decode foreign files know no secrets, work in an empty folder and write for their user alone',
  async () => {
    await using folder = await temporaryFolder();
    const data = folder.file('data');
    const secrets = {
      RERANK_URL: 'http://127.0.0.1:9/v1',
      RERANK_MODEL: 'm',
      RERANK_KEY: 'rerank-secret',
      OTHER: 'other-secret',
    };
    const service = spawnProgram('main', [], {
      PORT: '0',
      DATA_DIR: data,
      WORKERS: '1',
      ...secrets,
    });
    const { url, key } = await readGreeting(service);
    const client = createTestClient(url, key);
    await makePhoto(folder.file('red.png'), plain(200, 20, 20));
    const { data: item } = await client.upload(folder.file('red.png'));
    await client.waitUntilIndexed(item.id);
    // Starts a query worker.
    const image = (await readFile(folder.file('red.png'))).toString('base64');
    expect((await client.post('/media/search/image', { image })).status).toBe(200);
    // What decodes is native code: the service, which knows the secrets, does not even load it.
    const maps = await readFile(`/proc/${service.pid}/maps`, 'utf8');
    const loaded = [...new Set(maps.match(/\/node_modules\/.*$/gm))].join(' ');
    expect(loaded).toContain('sqlite');
    expect(loaded).not.toMatch(/node-av|sharp/);
    const workers: string[] = [];
    for (const id of await childrenOf(service.pid as number)) {
      const environment = await readFile(`/proc/${id}/environ`, 'utf8');
      expect(environment).not.toMatch(/secret|RERANK/);
      expect(environment).toContain('NODE_COMPILE_CACHE=');
      expect(environment).toContain('MALLOC_MMAP_THRESHOLD_=');
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8');
      const inside = await readlink(`/proc/${id}/cwd`);
      const rights = /Umask:\t(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1];
      if (inside === path.join(data, 'empty') && rights === '0077') workers.push(command);
    }
    expect(await readdir(path.join(data, 'empty'))).toEqual([]);
    // One for indexing and one for queries.
    expect(workers.filter((command) => command.includes('jobs/worker.ts'))).toHaveLength(1);
    expect(workers.length).toBeGreaterThanOrEqual(2);
    const exit = once(service, 'exit');
    service.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  },
  60_000,
);

test.skipIf(process.platform !== 'linux')(
  'so does the process by which admin check indexes an item again',
  async () => {
    await using folder = await temporaryFolder();
    const data = folder.file('data');
    const service = spawnProgram('main', [], { PORT: '0', DATA_DIR: data, WORKERS: '1' });
    const { url, key } = await readGreeting(service);
    const client = createTestClient(url, key);
    await makeVideo(folder.file('film.avi'), { scenes: [{ paint: plain(200, 0, 0), seconds: 6 }], codec: 'mpeg4' });
    await client.waitUntilIndexed((await client.upload(folder.file('film.avi'))).data.id);
    const exit = once(service, 'exit');
    service.kill('SIGTERM');
    await exit;
    const files = await readdir(path.join(data, 'assets'), { recursive: true });
    const poster = files.find((name) => /poster-\d+\.webp$/.test(name)) ?? '';
    await rm(path.join(data, 'assets', poster));
    const secrets = { RERANK_KEY: 'rerank-secret', RERANK_URL: 'http://127.0.0.1:9/v1', RERANK_MODEL: 'm' };
    const check = spawnProgram('admin', ['check', '--repair'], { DATA_DIR: data, ...secrets, OTHER: 'other-secret' });
    const seen: { environment: string; inside: string; rights: string | undefined }[] = [];
    const checked = once(check, 'exit');
    while (check.exitCode === null && check.signalCode === null) {
      await delay(10);
      for (const id of await childrenOf(check.pid as number)) {
        const read = (name: string) => readFile(`/proc/${id}/${name}`, 'utf8').catch(() => '');
        // Between fork and exec it is a copy of its parent.
        if (!(await read('cmdline')).includes('reindex-process')) continue;
        const inside = await readlink(`/proc/${id}/cwd`).catch(() => '');
        const rights = /Umask:\t(\d+)/.exec(await read('status'))?.[1];
        seen.push({ environment: await read('environ'), inside, rights });
      }
    }
    expect(await checked).toEqual([0, null]);
    expect(seen.map(({ environment }) => environment).join('')).not.toMatch(/secret|RERANK/);
    expect(seen).toContainEqual(expect.objectContaining({ inside: path.join(data, 'empty'), rights: '0077' }));
  },
  60_000,
);

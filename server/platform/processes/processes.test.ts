import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkers, makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { makeTinyModel } from '../../../packages/models/testing/tiny-model.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, type TestClient } from '../../testing/running-service.ts';

const patient = 180_000;

/** Identifiers of the running processes that a process has started, and which file each runs. */
async function childrenOf(pid: number): Promise<{ pid: number; file: string }[]> {
  const pids = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);
  return Promise.all(
    pids.map(async (child) => {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(child), file: /[^\0/]*\/[^\0/]*\.[jt]s/.exec(command)?.[0] ?? '' };
    }),
  );
}

/** Whether any process of a group is left. */
function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

async function start(settings: Record<string, string>, stderr?: number) {
  const folder = await temporaryFolder();
  const service = spawnProgram(
    'main',
    [],
    { DATA_DIR: folder.file('data'), PORT: '0', WORKERS: '2', LOG_LEVEL: 'info', ...settings },
    { detached: true, ...(stderr === undefined ? {} : { stderr }) },
  );
  const log = service.stderr ? text(service.stderr) : Promise.resolve('');
  const pid = service.pid as number;
  const { url, key } = await readGreeting(service);
  return {
    service,
    pid,
    log,
    folder,
    url,
    key,
    client: createTestClient(url, key),
    async [Symbol.asyncDispose]() {
      if (isGroupAlive(pid)) process.kill(-pid, 'SIGKILL');
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Sends a form with a picture but for its end. */
function beginForm(address: string, key: string, picture: Buffer) {
  const call = request(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'multipart/form-data; boundary=b' },
  });
  const answer = new Promise<number | 'closed' | undefined>((resolve) => {
    call.on('response', (response) => resolve(response.resume().statusCode));
    call.on('error', () => resolve('closed'));
  });
  call.write('--b\r\nContent-Disposition: form-data; name="file"; filename="late.png"\r\n\r\n');
  call.write(picture);
  return {
    /** Sends the end. @returns the status of the answer */
    finish: async () => {
      call.end('\r\n--b--\r\n');
      return answer;
    },
  };
}

const exitOf = async (service: ChildProcess): Promise<unknown> => {
  if (service.exitCode !== null || service.signalCode !== null) return service.exitCode ?? service.signalCode;
  const [code, signal] = (await once(service, 'exit')) as [number | null, string | null];
  return code ?? signal;
};

/** Puts every kind of process to use: indexing workers, query workers, and where there is a model the one for texts. */
async function useAll(client: TestClient, file: (name: string) => string): Promise<void> {
  await makeVideo(file('film.mp4'), { scenes: [{ paint: plain(30, 30, 200), seconds: 2 }] });
  const film = await client.waitUntilIndexed((await client.upload(file('film.mp4'))).data.id);
  expect((await client.post('/media/search/image', { media_id: film.id, at: 1 })).status).toBe(200);
  expect((await client.search('blue')).status).toBe(200);
}

test.each([
  ['SIGTERM', 'the whole group, as systemd does'],
  ['SIGINT', 'the service alone'],
] as const)(
  '%s to %s: what is under way ends, exit status 0, nothing is left running',
  async (signal, whom) => {
    await using models = await temporaryFolder();
    await makeTinyModel(models.file('tiny'), 'clip');
    await using t = await start({ EMBEDDER: models.file('tiny') });
    await useAll(t.client, (name) => t.folder.file(name));
    const files = (await childrenOf(t.pid)).map(({ file }) => file).toSorted();
    expect(files).toEqual(['entry/process.js', 'entry/process.js', 'jobs/worker.ts', 'jobs/worker.ts']);

    // Two requests are under way: the one will need a query worker, the other changes something.
    await makePhoto(t.folder.file('late.png'), plain(1, 2, 3));
    const picture = await readFile(t.folder.file('late.png'));
    const search = beginForm(`${t.url}/api/v1/media/search/image`, t.key, picture);
    const upload = beginForm(`${t.url}/api/v1/media/upload`, t.key, picture);
    while ((await readdir(t.folder.file('data/uploads'))).length < 2) await delay(20);
    process.kill(whom.startsWith('the whole') ? -t.pid : t.pid, signal);
    await delay(100);
    // On a very slow machine the service has closed a connection before it came to an answer.
    expect([200, 'closed']).toContain(await search.finish());
    expect([202, 'closed']).toContain(await upload.finish());
    expect(await exitOf(t.service)).toBe(0);
    for (let i = 0; i < 100 && isGroupAlive(t.pid); i++) await delay(100);
    expect(isGroupAlive(t.pid)).toBe(false);
    const log = await t.log;
    expect(log).not.toMatch(/Error:|at .*\.[jt]s:\d+/);
    expect(log).not.toContain('a worker ended and is replaced');
  },
  patient,
);

test(
  'processes that are killed are replaced, and the service goes on; when it is killed itself, its processes end',
  async () => {
    await using models = await temporaryFolder();
    await makeTinyModel(models.file('tiny'), 'clip');
    await using t = await start({ EMBEDDER: models.file('tiny') });
    await useAll(t.client, (name) => t.folder.file(name));
    for (let round = 0; round < 2; round++) {
      const children = await childrenOf(t.pid);
      expect(children.length).toBeGreaterThan(1);
      await makePhoto(t.folder.file(`${round}.png`), plain(1, 2, round));
      for (const { pid } of children) process.kill(pid, 'SIGKILL');
      // Before the service knows of their deaths, it wakes the workers.
      const { data } = await t.client.upload(t.folder.file(`${round}.png`));
      expect(await t.client.waitUntilIndexed(data.id)).toMatchObject({ status: 'complete' });
      const picture = { media_id: data.id };
      expect((await t.client.post('/media/search/image', picture)).status).toBe(200);
      expect((await t.client.search(`blue ${round}`)).status).toBe(200);
    }
    expect(t.service.exitCode).toBeNull();
    expect((await childrenOf(t.pid)).length).toBeGreaterThan(1);
    // In the middle of decoding, in threads of the decoder's own.
    await makeVideo(t.folder.file('long.avi'), { scenes: [{ paint: checkers(0.3), seconds: 8 }], codec: 'mpeg4' });
    const { data: long } = await t.client.upload(t.folder.file('long.avi'));
    while ((await t.client.get<{ status: string }>(`/media/${long.id}`)).data.status === 'pending') await delay(20);
    t.service.kill('SIGKILL');
    await exitOf(t.service);
    for (let i = 0; i < 200 && isGroupAlive(t.pid); i++) await delay(100);
    expect(isGroupAlive(t.pid)).toBe(false);
  },
  patient,
);

test.each(['a pipe that is closed', 'a file on a full disk'])(
  'a log on %s costs lines and nothing else',
  async (where) => {
    const full = where.includes('full disk');
    await using t = await start({ WORKERS: '1' }, full ? openSync('/dev/full', 'w') : undefined);
    t.service.stderr?.destroy();
    t.log.catch(() => undefined);
    await useAll(t.client, (name) => t.folder.file(name));
    // What cannot be indexed is logged by the worker, every request by the service.
    await writeFile(
      t.folder.file('broken.mp4'),
      Buffer.concat([(await readFile(t.folder.file('film.mp4'))).subarray(0, 64)]),
    );
    const broken = await t.client.waitUntilIndexed((await t.client.upload(t.folder.file('broken.mp4'))).data.id);
    expect(broken.status).toBe('error');
    const workers = (await childrenOf(t.pid)).map(({ pid }) => pid);
    for (let i = 0; i < 20; i++) expect((await t.client.get('/nowhere')).status).toBe(404);
    expect((await childrenOf(t.pid)).map(({ pid }) => pid)).toEqual(workers);
    t.service.kill('SIGTERM');
    expect(await exitOf(t.service)).toBe(0);
  },
  patient,
);

test(
  'items that are deleted while they are indexed are gone, and no error is logged; the next start removes what a kill leaves',
  async () => {
    await using t = await start({ WORKERS: '1' });
    await makeVideo(t.folder.file('film.avi'), {
      scenes: [{ paint: checkers(0.3), seconds: 3 }],
      codec: 'mpeg4',
    });
    const film = await readFile(t.folder.file('film.avi'));
    for (let round = 0; round < 6; round++) {
      // Bytes after the end make it another file.
      await writeFile(t.folder.file('round.avi'), Buffer.concat([film, Buffer.from([round])]));
      const { data } = await t.client.upload(t.folder.file('round.avi'));
      while ((await t.client.get<{ status: string }>(`/media/${data.id}`)).data.status === 'pending') await delay(5);
      await delay(round * 80);
      expect((await t.client.delete(`/media/${data.id}`)).status).toBe(200);
      const folders = await readdir(t.folder.file('data/assets'), { recursive: true });
      expect(folders.filter((name) => name.includes(data.id))).toEqual([]);
    }
    await makePhoto(t.folder.file('last.png'), plain(1, 2, 3));
    const last = await t.client.waitUntilIndexed((await t.client.upload(t.folder.file('last.png'))).data.id);
    const [items] = (await readdir(t.folder.file('data/assets'))).toSorted();
    expect(await readdir(t.folder.file(`data/assets/${items}`))).toEqual([last.id]);
    expect(await readdir(t.folder.file('data/removed'))).toEqual([]);
    t.service.kill('SIGTERM');
    expect(await exitOf(t.service)).toBe(0);
    // Level 40 and above: warnings and errors.
    const lines = (await t.log).split('\n').filter((line) => /"level":[456]0/.test(line));
    expect(lines.filter((line) => !line.includes('must exist'))).toEqual([]);

    // What a kill leaves beside an index.
    const indexes = t.folder.file('data/indexes/01a20055-a81d-7af4-a393-9305a954b031');
    await mkdir(indexes, { recursive: true });
    await writeFile(
      path.join(indexes, 'descriptors-1.index.0a1b2c3d-0000-4000-8000-000000000000.new'),
      'half an index',
    );
    await writeFile(path.join(indexes, 'kept'), '');
    const next = spawnProgram('main', [], { DATA_DIR: t.folder.file('data'), PORT: '0', WORKERS: '1' });
    await readGreeting(next);
    expect(await readdir(indexes)).toEqual(['kept']);
    next.kill('SIGTERM');
    expect(await exitOf(next)).toBe(0);
  },
  patient,
);

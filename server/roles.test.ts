import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { readGreeting, spawnProgram, waitForExit } from './testing/programs.ts';
import { createTestClient } from './testing/running-service.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from './testing/temporary-database.ts';

type Process = { child: ChildProcess; url: string; out: string; log: Promise<string> };

async function start(settings: Record<string, string>): Promise<Process> {
  const child = spawnProgram('main', [], { PORT: '0', WORKERS: '1', DRAIN_SECONDS: '3', ...settings });
  const log = text(child.stderr as NodeJS.ReadableStream);
  const { url, out } = await readGreeting(child);
  if (url === '') throw new Error(await log);
  return { child, url, out, log };
}

async function end({ child }: Process, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await exit)[0];
}

test('ROLE without a database that can be shared is refused in one sentence', async () => {
  const { code, err } = await waitForExit(spawnProgram('main', [], { ROLE: 'worker', PORT: '0' }));
  expect([code, err]).toEqual([1, expect.stringMatching(/^ROLE=worker needs a database .*DATABASE_URL.*\n$/)]);
});

test('two API processes that start first at once make one service, and a worker indexes what either got', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using folder = await temporaryFolder();
  await using database = await temporaryDatabase();
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.file('data'),
    SECRET_KEY_FILE: folder.file('key'),
  };
  const running = await Promise.all([
    start({ ...settings, ROLE: 'api' }),
    start({ ...settings, ROLE: 'api' }),
    start({ ...settings, ROLE: 'worker' }),
  ]);
  const [first, second, worker] = running;
  try {
    // No credential goes into the logs that an orchestrator keeps.
    for (const { out } of running) expect(out).not.toMatch(/token|service_/);
    const admin = await waitForExit(spawnProgram('admin', ['workspace', 'list'], settings));
    expect([admin.err, admin.out.trim().split('\n').length]).toEqual(['', 1]);
    const key = (await waitForExit(spawnProgram('admin', ['key'], settings))).out.trim();
    const [here, there] = [createTestClient(first.url, key), createTestClient(second.url, key)];

    await makePhoto(folder.file('red.png'), plain(200, 20, 20));
    const { data } = await here.upload(folder.file('red.png'));
    const item = await there.waitUntilIndexed(data.id);
    expect(item).toMatchObject({ status: 'complete', chunk_count: 1 });
    // Signed by the one, served by the other.
    const address = new URL(item.download_url);
    expect((await fetch(first.url + address.pathname + address.search)).status).toBe(200);

    for (const { url } of running) {
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([
        200,
        { status: 'ready', checks: { database: 'ok', storage: 'ok', models: 'ok' } },
      ]);
    }
    expect((await fetch(`${worker.url}/api/v1/workspace`)).status).toBe(404);
    const metrics = await Promise.all(running.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    expect(metrics[2]).toMatch(/^media_search_jobs_ended_total\{kind="index",outcome="done"\} 1$/m);
    expect(metrics.filter((each) => /^media_search_leader 1$/m.test(each))).toHaveLength(1);
    for (const each of metrics) expect(each).toContain('media_search_vector_indexes{state="ready"} 0');
    for (const { child } of running) {
      const command = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
      for (const pid of command.trim().split(' ').filter(Boolean)) {
        expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('postgres');
      }
    }

    // The worker dies in the middle of nothing; another takes its place.
    await end(worker, 'SIGKILL');
    running[2] = await start({ ...settings, ROLE: 'worker' });
    await makePhoto(folder.file('blue.png'), plain(20, 20, 200));
    const other = (await there.upload(folder.file('blue.png'))).data;
    expect(await here.waitUntilIndexed(other.id)).toMatchObject({ status: 'complete' });

    // While it stops it answers.
    const stopped = end(first, 'SIGTERM');
    await delay(300);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(503);
    expect((await here.get('/workspace')).status).toBe(200);
    expect(await stopped).toBe(0);
    expect(await end(second, 'SIGTERM')).toBe(0);
    expect(await end(running[2], 'SIGTERM')).toBe(0);
    // Such as of a driver that is used in a way that it will no longer take.
    for (const { log } of [first, second, running[2]]) expect(await log).not.toContain('Warning');
    // Processes that stopped leave nothing; the folder of the killed one goes at a later start.
    expect(await readdir(folder.file('data/processes'))).toHaveLength(1);
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
  }
});

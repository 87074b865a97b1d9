import { type ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkers, makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { startTestService } from '../testing/running-service.ts';
import { runningProcesses } from '../testing/worker-processes.ts';
import type { FromWorker } from './worker-messages.ts';

/** Resolves when a worker has sent so many messages of a kind. */
const sent = (worker: ChildProcess, kind: FromWorker['kind'], count: number): Promise<ChildProcess> =>
  new Promise((resolve) => {
    let seen = 0;
    worker.on('message', (message: FromWorker) => {
      if (message.kind === kind) seen += 1;
      if (seen === count) resolve(worker);
    });
  });

/** Where the first of two workers is when it is suspended, in messages about its progress. */
test.each([1, 25])(
  'a worker that is suspended, loses its lease and resumes changes nothing (after %i steps)',
  async (steps) => {
    await using service = await startTestService({ workers: 2 });
    const { client, db, folder } = service;
    const scenes = [checkers(0.3), plain(200, 30, 30), checkers(0.5), plain(20, 40, 200)];
    await makeVideo(path.join(folder, 'film.avi'), {
      scenes: scenes.map((paint) => ({ paint, seconds: 4 })),
      codec: 'mpeg4',
      width: 320,
      height: 180,
    });
    const workers = runningProcesses('jobs/worker.ts');
    expect(workers).toHaveLength(2);
    const advanced = Promise.race(workers.map((worker) => sent(worker, 'advanced', steps)));
    const ended = new Map(workers.map((worker) => [worker, sent(worker, 'ended', 1)]));
    const { data: item } = await client.upload(path.join(folder, 'film.avi'));
    const suspended = await advanced;
    suspended.kill('SIGSTOP');
    // 30 seconds go by. A worker that was stopped within a transaction holds up all others, so it is resumed and stopped again.
    for (let expired = false; !expired;) {
      expired = await db
        .updateTable('jobs')
        .set({ lease_until: new Date(0).toISOString() })
        .execute()
        .then(
          () => true,
          () => false,
        );
      if (expired) break;
      suspended.kill('SIGCONT');
      await delay(50);
      suspended.kill('SIGSTOP');
    }
    expect(await db.selectFrom('jobs').select('attempts').execute()).toEqual([{ attempts: 1 }]);
    const completed = await client.waitUntilIndexed(item.id);
    expect(completed).toMatchObject({ status: 'complete', chunk_count: 4 });

    suspended.kill('SIGCONT');
    await ended.get(suspended);
    const after = (await client.get(`/media/${item.id}`)).data;
    expect(after).toMatchObject({ status: 'complete', chunk_count: 4, updated_at: completed.updated_at });
    const { data: chunks } = await client.get<{ thumbnail: string }[]>(`/media/${item.id}/chunks`);
    expect(chunks).toHaveLength(4);
    const addresses = [completed.url, completed.download_url, completed.thumbnail, ...chunks.map((c) => c.thumbnail)];
    for (const address of addresses) expect((await fetch(address ?? '')).status, String(address)).toBe(200);
    const row = await db.selectFrom('media_items').select('renditions_token').executeTakeFirstOrThrow();
    const renditions = path.join(folder, 'data', 'assets', service.workspaceId, item.id, 'renditions');
    expect(await readdir(renditions)).toEqual([String(row.renditions_token)]);

    // The worker is of use again.
    for (const worker of workers) if (worker !== suspended) worker.kill('SIGSTOP');
    await makePhoto(path.join(folder, 'next.png'), plain(1, 2, 3));
    const next = await client.waitUntilIndexed((await client.upload(path.join(folder, 'next.png'))).data.id);
    expect(next.status).toBe('complete');
    for (const worker of workers) worker.kill('SIGCONT');
  },
  180_000,
);

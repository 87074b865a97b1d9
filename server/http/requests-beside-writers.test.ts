import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import { startTestService } from '../testing/running-service.ts';

/** Longer than any of the requests may take; a request that waits for the write lock takes at least `writeMs`. */
const maxRequestMs = 1500;
const writeMs = 4000;

test('while another process writes for seconds, items are read and searches answered without waiting for it', async () => {
  await using service = await startTestService();
  const { client, folder, db } = service;
  const photo = path.join(folder, 'harbour.png');
  await makePhoto(photo, plain(200, 30, 30));
  const { id } = await client.waitUntilIndexed((await client.upload(photo)).data.id);
  await client.search('harbour');
  // Let what was counted so far be stored, so that all that is due later is due because of the requests below.
  await sleep(1500);
  const longAgo = '2020-01-01T00:00:00.000Z';
  await db.updateTable('api_keys').set({ last_used_at: longAgo }).execute();
  const other = new SQLite(catalogFile(path.join(folder, 'data')));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  try {
    other.exec('begin immediate');
    delay.enable();
    const end = performance.now() + writeMs;
    let slowest = 0;
    while (performance.now() < end) {
      const began = performance.now();
      expect((await client.get(`/media/${id}`)).status).toBe(200);
      expect((await client.search('harbour')).data.map((hit) => hit.id)).toEqual([id]);
      slowest = Math.max(slowest, performance.now() - began);
      await sleep(50);
    }
    delay.disable();
    expect(slowest).toBeLessThan(maxRequestMs);
    expect(delay.max / 1e6).toBeLessThan(maxRequestMs);
  } finally {
    if (other.inTransaction) other.exec('rollback');
    other.close();
  }
  const lastUse = async () => (await db.selectFrom('api_keys').select('last_used_at').executeTakeFirst())?.last_used_at;
  await expect.poll(lastUse).not.toBe(longAgo);
});

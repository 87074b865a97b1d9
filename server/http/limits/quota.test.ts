import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Limits, Workspace } from '../../../contract/workspace.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { startTestService } from '../../testing/running-service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

async function limit({ db, workspaceId }: Service, limits: Partial<Limits>): Promise<void> {
  await savePlan(db, 'small', { name: 'Small', ...limits });
  await assignPlan(db, workspaceId, 'small');
}

const read = async ({ client }: Service) => (await client.get<Workspace>('/workspace')).data;

async function photos({ folder }: Service, count: number): Promise<string[]> {
  const files = Array.from({ length: count }, (_, i) => path.join(folder, `photo-${i}.png`));
  for (const [i, file] of files.entries()) await makePhoto(file, plain(20 * i, 100, 200 - 20 * i));
  return files;
}

test('plans have no limits until the operator sets some; null is unlimited', async () => {
  await using service = await startTestService({ workers: 0 });
  const unlimited = { storage_bytes: null, media_items: null, indexed_seconds: null, searches_per_month: null };
  expect(await read(service)).toMatchObject({ plan: { limits: unlimited }, quota: unlimited });
  await limit(service, { media_items: 5 });
  expect(await read(service)).toMatchObject({
    plan: { id: 'small', name: 'Small', limits: { ...unlimited, media_items: 5 } },
    quota: { ...unlimited, media_items: 5 },
  });
});

test('items: uploads at the same time cannot pass together, deleting makes room', async () => {
  await using service = await startTestService();
  await limit(service, { media_items: 2 });
  const answers = await Promise.all((await photos(service, 5)).map((file) => service.client.upload(file)));
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused).toHaveLength(3);
  for (const answer of refused) {
    expect(answer).toMatchObject({
      status: 403,
      error: {
        code: 'quota_exceeded',
        message: 'The plan Small allows 2 media items, and 2 are used.',
        details: [{ path: 'quota.media_items', message: '2 of 2 used' }],
      },
    });
  }
  const kept = answers.filter(({ status }) => status === 202).map(({ data }) => data.id);
  for (const id of kept) await service.client.waitUntilIndexed(id);
  expect(await read(service)).toMatchObject({ usage: { media_items: 2 }, quota: { media_items: 0 } });
  await service.client.delete(`/media/${kept[0]}`);
  const [next] = (await photos(service, 6)).slice(5);
  expect((await service.client.upload(next ?? '')).status).toBe(202);
});

test('storage: exact to the byte, and refused before the bytes are sent if their number is declared', async () => {
  await using service = await startTestService();
  const [first = '', second = ''] = await photos(service, 2);
  const size = (await stat(first)).size;
  await limit(service, { storage_bytes: size });
  const stored = await service.client.upload(first);
  expect(stored.status).toBe(202);
  expect(await read(service)).toMatchObject({ usage: { storage_bytes: size }, quota: { storage_bytes: 0 } });
  const refused = await service.client.upload(second);
  expect(refused).toMatchObject({ status: 403, error: { code: 'quota_exceeded' } });
  expect(refused.error.message).toContain(`allows ${size} bytes of storage, and ${size} are used`);

  // One byte less than the file needs is refused, when its size is known.
  await service.client.delete(`/media/${stored.data.id}`);
  await limit(service, { storage_bytes: (await stat(second)).size - 1 });
  expect((await service.client.upload(second)).error).toMatchObject({ code: 'quota_exceeded' });
  // A file far too large is refused by what the request declares: it is never read.
  await limit(service, { storage_bytes: 1000 });
  const large = await fetch(`${service.url}/api/v1/media/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'multipart/form-data; boundary=x' },
    body: Buffer.alloc(2_000_000),
  });
  expect(await large.json()).toMatchObject({ error: { code: 'quota_exceeded' } });
});

test('storage: two concurrent uploads cannot exceed it together', async () => {
  await using service = await startTestService();
  const files = await photos(service, 4);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  await limit(service, { storage_bytes: Math.max(...sizes) * 2 });
  const answers = await Promise.all(files.map((file) => service.client.upload(file)));
  const stored = answers.filter(({ status }) => status === 202).map(({ data }) => data.size);
  expect(stored).toHaveLength(2);
  expect((await read(service)).usage.storage_bytes).toBe(stored.reduce((sum, size) => sum + size, 0));
});

test('seconds: a video that exceeds them ends in error, and can be retried when there is room', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  const films = ['a.mp4', 'b.mp4'].map((name) => path.join(folder, name));
  for (const [i, film] of films.entries()) {
    await makeVideo(film, { scenes: [{ paint: plain(200 * i, 20, 20), seconds: 4 }] });
  }
  await limit(service, { indexed_seconds: 5 });
  const [first, second] = await Promise.all(
    films.map(async (film) => client.waitUntilIndexed((await client.upload(film)).data.id)),
  );
  const [complete, refused] = first?.status === 'complete' ? [first, second] : [second, first];
  expect(complete?.status).toBe('complete');
  expect(refused).toMatchObject({ status: 'error', error: { code: 'quota_exceeded' } });
  expect(refused?.error?.message).toMatch(
    /The plan Small allows 5 seconds of indexed video, and 4 are used; this needs 4 more\. Delete something/,
  );
  expect((await read(service)).usage.indexed_seconds).toBeCloseTo(4, 1);
  await limit(service, { indexed_seconds: 100 });
  expect((await client.post(`/media/${refused?.id}/retry`, undefined)).status).toBe(202);
  expect((await client.waitUntilIndexed(refused?.id ?? '')).status).toBe('complete');
  // Photos have no seconds.
  await limit(service, { indexed_seconds: 9 });
  const [photo = ''] = await photos(service, 1);
  expect((await client.waitUntilIndexed((await client.upload(photo)).data.id)).status).toBe('complete');
});

test('searches: each counts, also concurrent ones, and further ones are refused for the month', async () => {
  await using service = await startTestService();
  const { client } = service;
  await limit(service, { searches_per_month: 5 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.search('red')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = answers.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({
    status: 403,
    error: { code: 'quota_exceeded', details: [{ path: 'quota.searches_per_month', message: '5 of 5 used' }] },
  });
  expect(await client.get('/media/highlights')).toMatchObject({ status: 403 });
  expect(await client.get('/media/highlights/map')).toMatchObject({ status: 403 });
  // A request that is wrong in form is no search.
  expect((await client.search('')).status).toBe(400);
  const { usage, quota } = await read(service);
  expect(usage.searches_per_month).toBe(5);
  expect(quota.searches_per_month).toBe(0);
  expect(usage.history).toMatchObject([{ date: new Date().toISOString().slice(0, 10), searches: 5, uploads: 0 }]);
});

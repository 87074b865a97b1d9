import { expect, test } from 'vitest';
import { makePhoto, plain } from '../packages/media/samples/draw-media.ts';
import { readStorageSettings, type StorageSettings } from './assets/storage-settings.ts';
import { startFreezingProxy } from './testing/freezing-proxy.ts';
import { openEmptyDatabase } from './testing/fresh-catalog.ts';
import { startTestService, type TestClient } from './testing/running-service.ts';
import { startS3Server } from './testing/s3-server.ts';
import { needsServer, testDatabaseUrl } from './testing/temporary-database.ts';

/** What a database or a bucket does to requests that takes connections and answers nothing: a true sentence in time, and nothing acknowledged is lost. */

/** A client learns of it in this time, milliseconds. */
const inTimeMs = 10_000;

/** The answer to a request, and how long it took. */
async function timed<Answer>(request: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const begun = performance.now();
  const answer = await request;
  return { answer, ms: performance.now() - begun };
}

const readyz = async (url: string) => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, await answer.json()];
};

const parallel = (client: TestClient) =>
  Promise.all(
    Array.from({ length: 12 }, () => client.call('/media').then(({ status, error }) => [status, error.message])),
  );

test('a database that falls silent: requests are refused with a sentence within 10 seconds, and go on when it speaks', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using database = await openEmptyDatabase();
  const url = new URL(database.url);
  await using proxy = await startFreezingProxy(Number(url.port));
  url.host = `127.0.0.1:${proxy.port}`;
  await using service = await startTestService({ databaseUrl: url.href, workers: 0 });
  const file = `${service.folder}/red.png`;
  await makePhoto(file, plain(200, 20, 20));
  const { id } = (await service.client.upload(file)).data;

  proxy.freeze();
  // More than there are connections: some wait for one.
  const { answer, ms } = await timed(parallel(service.client));
  expect(answer).toEqual(
    Array.from({ length: 12 }, () => [503, 'The database of this service cannot be reached. Try again in 5 seconds.']),
  );
  expect(ms).toBeLessThan(inTimeMs);
  await makePhoto(file, plain(20, 20, 200));
  const upload = await timed(service.client.upload(file));
  expect(upload.ms).toBeLessThan(inTimeMs);
  expect(upload.answer).toMatchObject({
    status: 503,
    error: { message: expect.stringContaining('The database') as string },
  });
  expect(await readyz(service.url)).toMatchObject([200, { status: 'degraded', checks: { database: 'failed' } }]);

  proxy.thaw();
  await expect.poll(async () => (await service.client.call('/media')).status).toBe(200);
  expect((await service.client.get<{ id: string }>(`/media/${id}`)).data.id).toBe(id);
  await expect.poll(() => readyz(service.url), { timeout: 10_000 }).toMatchObject([200, { status: 'ready' }]);
});

test('a statement that takes long is not taken for a silent database', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  const { createPool } = await import('./catalog/postgres/pool.ts');
  const pool = createPool(testDatabaseUrl ?? '', 2);
  const { ms } = await timed(pool.query('select pg_sleep($1)', [11]));
  expect(ms).toBeGreaterThan(10_900);
  await pool.end();
});

test('a bucket that falls silent: an upload is refused within 10 seconds, what was acknowledged is there, and searches go on', async () => {
  await using server = await startS3Server();
  const endpoint = new URL(server.environment['AWS_ENDPOINT_URL_S3'] ?? '');
  await using proxy = await startFreezingProxy(Number(endpoint.port));
  endpoint.host = `127.0.0.1:${proxy.port}`;
  const variables = { ...server.environment, AWS_ENDPOINT_URL_S3: endpoint.href, STORAGE_URL: 's3://media/news' };
  await using service = await startTestService({ storage: readStorageSettings(variables) as StorageSettings });
  const file = `${service.folder}/red.png`;
  await makePhoto(file, plain(200, 20, 20));
  const { id } = (await service.client.upload(file)).data;
  await service.client.waitUntilIndexed(id);

  proxy.freeze();
  await makePhoto(file, plain(20, 20, 200));
  for (let attempt = 0; attempt < 2; attempt++) {
    const upload = await timed(service.client.upload(file));
    expect(upload.ms).toBeLessThan(inTimeMs);
    expect(upload.answer).toMatchObject({
      status: 503,
      error: { message: expect.stringContaining('The storage') as string },
    });
  }
  expect((await service.client.get<{ media_id: string }[]>('/media/search?q=red')).status).toBe(200);
  expect(await readyz(service.url)).toMatchObject([200, { status: 'degraded', checks: { storage: 'failed' } }]);

  proxy.thaw();
  await expect.poll(() => readyz(service.url), { timeout: 10_000 }).toMatchObject([200, { status: 'ready' }]);
  const again = (await service.client.upload(file)).data;
  expect((await service.client.waitUntilIndexed(again.id)).status).toBe('complete');
  expect((await service.client.get<{ id: string }>(`/media/${id}`)).data.id).toBe(id);
});

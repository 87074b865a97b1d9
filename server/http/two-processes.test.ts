import { appendFile, readFile, stat } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Creator } from '../../contract/creators.ts';
import type { MediaExport } from '../../contract/exports.ts';
import type { MediaItem } from '../../contract/media.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { makeNumbered } from '../../packages/media/testing/numbered-frames.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { issueApiKey } from '../catalog/accounts/api-keys.ts';
import { assignPlan, savePlan } from '../catalog/accounts/plans.ts';
import { createSignInToken } from '../catalog/accounts/sessions.ts';
import { cheapHash } from '../testing/cheap-hash.ts';
import { followEvents } from '../testing/follow-events.ts';
import { withPendingUpload } from '../testing/pending-upload.ts';
import { createTestBrowser, createTestClient, startServiceOn } from '../testing/running-service.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from '../testing/temporary-database.ts';
import { createTusRequests } from '../testing/tus-requests.ts';

/** Two processes that serve requests, on one database and one folder of files. What one of them knows the other must know as well. */
type Processes = Awaited<ReturnType<typeof startBoth>>;

/** More than these tests send with one key. */
const requestsPerMinute = 120;

let processes: Processes;

async function startBoth() {
  const folder = await temporaryFolder();
  const database = await temporaryDatabase();
  const settings = { databaseUrl: database.url, requestsPerMinute };
  const a = await startServiceOn(folder.file('data'), { ...settings, workers: 1 });
  const b = await startServiceOn(folder.file('data'), { ...settings, role: 'api', workers: 0 });
  return {
    a,
    b,
    folder,
    async [Symbol.asyncDispose]() {
      await Promise.all([a.stop(), b.stop()]);
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

beforeAll(async () => {
  if (testDatabaseUrl !== undefined) processes = await startBoth();
});
beforeEach((context) => context.skip(testDatabaseUrl === undefined, needsServer));
afterAll(() => processes?.[Symbol.asyncDispose]());

async function uploadPhoto({ folder, a }: Processes, colour: number): Promise<string> {
  const file = folder.file(`photo-${colour}.png`);
  await makePhoto(file, plain(colour, 100, 200 - colour));
  return index(a, file);
}

/** A video that is played as it was uploaded, of so many bytes that nobody sends it at once. */
async function uploadLargeVideo({ folder, a }: Processes): Promise<string> {
  const file = folder.file('film.mp4');
  await makeNumbered(file, 5);
  const bytes = 40_000_000;
  const padding = Buffer.alloc(bytes);
  padding.writeUInt32BE(bytes);
  padding.write('free', 4);
  await appendFile(file, padding);
  return index(a, file);
}

async function index(a: Processes['a'], file: string): Promise<string> {
  const { data } = await a.client.upload(file);
  const readStatus = async () => (await a.client.get<MediaItem>(`/media/${data.id}`)).data.status;
  await expect.poll(readStatus, { timeout: 30_000, interval: 250 }).toBe('complete');
  return data.id;
}

/** The statuses of requests at both, by turns. */
async function askByTurns(times: number, ask: (service: Processes['a']) => Promise<{ status: number }>) {
  const { a, b } = processes;
  const statuses: number[] = [];
  // So many at a time that no process has more of a workspace than it takes.
  while (statuses.length < times) {
    const length = Math.min(50, times - statuses.length);
    const answers = await Promise.all(Array.from({ length }, (_, i) => ask(i % 2 === 0 ? a : b)));
    statuses.push(...answers.map(({ status }) => status));
  }
  return statuses;
}

type Share = { id: string; url: string };

const count = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;

test('what one deletes or revokes the other refuses at its next request', async () => {
  const { a, b } = processes;
  const id = await uploadPhoto(processes, 10);
  expect((await b.client.get(`/media/${id}`)).status).toBe(200);
  const { data: share } = await a.client.post<Share>('/shares', { media_id: id });
  const link = `${b.url}${new URL(share.url).pathname}`;
  expect((await fetch(`${link}/media`)).status).toBe(200);
  await a.client.delete(`/shares/${share.id}`);
  expect((await fetch(`${link}/media`)).status).toBe(404);
  await b.client.delete(`/media/${id}`);
  expect((await a.client.get(`/media/${id}`)).status).toBe(404);

  const { key, id: keyId } = await issueApiKey(a.db, a.secrets, a.workspaceId);
  const there = createTestClient(b.url, key);
  expect((await there.get('/workspace')).status).toBe(200);
  const here = createTestBrowser(a.url);
  await here.post('/auth/sign-in', { token: await createSignInToken(a.db, a.workspaceId) });
  expect((await here.delete(`/manage/api-keys/${keyId}`)).status).toBe(200);
  expect((await there.get('/workspace')).status).toBe(401);
  const session = createTestBrowser(b.url, here.cookie());
  expect((await session.get('/manage/members')).status).toBe(200);
  await here.post('/auth/sign-out');
  expect((await session.get('/manage/members')).status).toBe(401);
});

test('who watches what a link gives at one gets no more of it once the other has revoked it', async () => {
  const { a, b } = processes;
  const id = await uploadLargeVideo(processes);
  const { data: share } = await a.client.post<Share>('/shares', { media_id: id });
  const response = await fetch(`${b.url}${new URL(share.url).pathname}/media`);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  expect((await reader.read()).done).toBe(false);
  await a.client.delete(`/shares/${share.id}`);
  const readAll = async () => {
    for (;;) if ((await reader.read()).done) return;
  };
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await expect(readAll()).rejects.toThrow('terminated');
});

test('a key has its rate, a plan its searches and a guesser his attempts at both together', async () => {
  const { a, b } = processes;
  const { key } = await issueApiKey(a.db, a.secrets, a.workspaceId);
  const statuses = await askByTurns(requestsPerMinute + 20, ({ url }) => createTestClient(url, key).get('/creators'));
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([requestsPerMinute, 20]);

  await savePlan(a.db, 'small', { name: 'Small', searches_per_month: 5 });
  await assignPlan(a.db, a.workspaceId, 'small');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const searches = await askByTurns(12, ({ client }) => client.search('red'));
  expect([count(searches, 200), count(searches, 403)]).toEqual([5, 7]);
  expect((await b.client.get('/workspace')).data).toMatchObject({ usage: { searches_per_month: 5 } });

  const email = 'target@example.org';
  const password = 'long enough to count';
  await a.db
    .updateTable('people')
    .set({ email, password_hash: cheapHash(password) })
    .execute();
  const guess = { email, password: 'wrong and long enough' };
  const guesses = await askByTurns(14, ({ url }) => createTestBrowser(url).post('/auth/sign-in', guess));
  expect([count(guesses, 401), count(guesses, 429)]).toEqual([10, 4]);
  const right = await askByTurns(2, ({ url }) => createTestBrowser(url).post('/auth/sign-in', { email, password }));
  expect(right).toEqual([429, 429]);
});

test('a request that comes again at the other with the same Idempotency-Key is not done twice', async () => {
  const { a, b } = processes;
  const create = ({ client }: Processes['a'], name: string, key: string) =>
    client.post<Creator>('/creators', { name }, { 'Idempotency-Key': key });
  await withPendingUpload({ url: a.url, key: a.key }, 'held', async () => {
    expect((await create(b, 'Ana', 'held')).status).toBe(409);
  });
  await expect.poll(async () => (await create(b, 'Ana', 'held')).status).toBe(201);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => create(i % 2 === 0 ? a : b, 'Bo', 'raced')));
  expect(answers.map(({ status }) => status).every((status) => status === 201 || status === 409)).toBe(true);
  const replayed = [await create(a, 'Bo', 'raced'), await create(b, 'Bo', 'raced')];
  expect(new Set(replayed.map(({ data }) => data.id)).size).toBe(1);
  expect(replayed.map(({ headers }) => headers.get('Idempotency-Replayed'))).toEqual(['true', 'true']);
  const { data: all } = await a.client.get<Creator[]>('/creators?q=Bo');
  expect(all).toHaveLength(1);
});

test('an export is shown, sent and cancelled by whoever is asked', async () => {
  const { a, b } = processes;
  const id = await uploadPhoto(processes, 30);
  const { data } = await a.client.post<MediaExport>('/exports', { format: 'jpeg', media_ids: [id] });
  const address = new URL(data.url);
  const file = await fetch(`${b.url}${address.pathname}${address.search}`);
  expect([file.status, file.headers.get('Content-Type')]).toEqual([200, 'image/jpeg']);
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
  expect((await b.client.get<MediaExport>(`/exports/${data.id}`)).data).toMatchObject({ status: 'ready', progress: 1 });
  const { data: archive } = await b.client.post<MediaExport>('/exports', { format: 'zip', media_ids: [id] });
  const zip = new URL(archive.url);
  expect((await fetch(`${a.url}${zip.pathname}${zip.search}`)).status).toBe(200);
  expect((await b.client.delete(`/exports/${data.id}`)).status).toBe(200);
  expect((await a.client.get(`/exports/${data.id}`)).status).toBe(404);
  expect((await fetch(`${a.url}${address.pathname}${address.search}`)).status).toBe(404);
});

test('a process is ready while all its connections to the database are in use', async () => {
  const { a } = processes;
  const busy = Array.from({ length: 10 }, () => sql`select pg_sleep(4)`.execute(a.db));
  const answer = await fetch(`${a.url}/readyz`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { checks: { database: 'ok' } }]);
  await Promise.all(busy);
});

test('events of one process are told by the other, where they end with a key that the first revokes', async () => {
  const { a, b } = processes;
  const { key, id } = await issueApiKey(a.db, a.secrets, a.workspaceId);
  await using stream = await followEvents(b.url, key);
  await using other = await followEvents(b.url, b.key);
  await stream.expectTypes(['ready']);
  const item = await uploadPhoto(processes, 77);
  await vi.waitFor(() => expect(stream.types().at(-1)).toBe('media.completed'), 20_000);
  expect((await b.client.get<MediaItem>(`/media/${item}`)).data.status).toBe('complete');
  const browser = createTestBrowser(a.url);
  await browser.post('/auth/sign-in', { token: await createSignInToken(a.db, a.workspaceId) });
  expect((await browser.delete(`/manage/api-keys/${id}`)).status).toBe(200);
  await stream.ended;
  await a.client.delete(`/media/${item}`);
  await vi.waitFor(() => expect(other.types().at(-1)).toBe('media.deleted'), 20_000);
  expect(stream.types().at(-1)).toBe('media.completed');
});

test('an upload goes on at the other process, also while a connection to the first hangs', async () => {
  const { a, b } = processes;
  const [first, second] = [createTusRequests(a), createTusRequests({ url: b.url, key: a.key })];
  const file = processes.folder.file('resumed.png');
  await makePhoto(file, plain(7, 7, 99));
  const bytes = await readFile(file);
  const at = await first.create(bytes.length);
  // A body that never ends.
  const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes.subarray(0, 500)) });
  const hanging = first.patch(at, 0, Buffer.of(), {}, { body, duplex: 'half' });
  await vi.waitFor(async () => expect((await stat(partialFileOf(at))).size).toBe(500), 20_000);
  expect((await second.head(at)).headers.get('Upload-Offset')).toBe('500');
  expect((await hanging).status).toBe(409);
  expect((await second.patch(at, 500, bytes.subarray(500))).status).toBe(204);
  expect(await first.get(at)).toMatchObject({ offset: bytes.length, media_id: expect.any(String), duplicate: false });
});

const partialFileOf = (at: string) =>
  processes.folder.file(`data/partial-files/${processes.a.workspaceId}/${at.split('/').at(-1)}`);

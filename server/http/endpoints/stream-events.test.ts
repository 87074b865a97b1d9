import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import { event as eventSchema } from '../../../contract/events.ts';
import { checkers, makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { recordEvent } from '../../catalog/events/events.ts';
import { followEvents } from '../../testing/follow-events.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service[Symbol.asyncDispose]());

const follow = (options: Parameters<typeof followEvents>[2] = {}) => followEvents(service.url, service.key, options);

let uploads = 0;
async function upload() {
  uploads += 1;
  const file = path.join(service.folder, `${uploads}.png`);
  await makePhoto(file, plain(uploads, 2, 3));
  return service.client.upload(file);
}

const match = (name: string) => ({
  saved_search: { id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0', name },
  media: { id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc1', filename: 'a.mp4', type: 'video' as const },
  hits: [],
});

/** Adds an event that takes no worker. */
const record = (name = 'Ferries', workspaceId = service.workspaceId) =>
  recordEvent(service.db, workspaceId, 'search.saved_match', match(name));

test('a stream tells what happens to an item, and the service is as it says', async () => {
  await using stream = await follow();
  expect(stream.response.status).toBe(200);
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    'content-type': expect.stringMatching(/^text\/event-stream/) as string,
    'cache-control': 'private, no-store',
    'x-accel-buffering': 'no',
  });
  expect(stream.response.headers.get('Content-Encoding')).toBe(null);
  await stream.expectTypes(['ready']);
  // Long enough for its progress to be read before it is complete, when the log drops it.
  const video = path.join(service.folder, 'long.mp4');
  await makeVideo(video, { scenes: [{ paint: checkers(0.2), seconds: 20 }] });
  const { data } = await service.client.upload(video);
  await vi.waitFor(() => expect(stream.types().at(-1)).toBe('media.completed'), 20_000);
  const { data: now } = await service.client.get<{ status: string }>(`/media/${data.id}`);
  expect(now.status).toBe('complete');
  expect(stream.types().slice(0, 3)).toEqual(['ready', 'media.created', 'media.progress']);
  for (const { id, event, data: text = '' } of stream.received.slice(1)) {
    const parsed = eventSchema.parse(JSON.parse(text));
    expect(parsed.type).toBe(event);
    // Progress leaves the log, so that nobody can go on behind it.
    expect(id).toBe(event === 'media.progress' ? undefined : parsed.id);
    expect(parsed.data).toMatchObject({ media: { id: data.id } });
  }
  expect((await service.client.delete(`/media/${data.id}`)).status).toBe(200);
  await vi.waitFor(() => expect(stream.types().at(-1)).toBe('media.deleted'), 20_000);
});

test('a stream goes on behind the last event, or says that it cannot', async () => {
  await record();
  await using first = await follow();
  await first.expectTypes(['ready']);
  const seen = first.lastEventId();
  await first[Symbol.asyncDispose]();
  await record('one');
  await record('two');
  for (const options of [
    { headers: { 'Last-Event-ID': seen } },
    { query: `?last_event_id=${seen}` },
    { query: '?last_event_id=01a1fbe4-6806-793e-a30f-22b8a44e4fff', headers: { 'Last-Event-ID': seen } },
  ]) {
    await using resumed = await follow(options);
    await resumed.expectTypes(['search.saved_match', 'search.saved_match']);
    await record('three');
    await resumed.expectTypes(Array.from({ length: 3 }, () => 'search.saved_match'));
    expect(resumed.received[1]?.data).toContain('"two"');
    await service.db.deleteFrom('events').where('id', '=', resumed.lastEventId()).execute();
  }
  const other = await service.addWorkspace('Other');
  await record('theirs', other.id);
  const theirs = (await service.db.selectFrom('events').select('id').where('workspace_id', '=', other.id).execute())[0];
  for (const unknown of ['01a1fbe4-6806-793e-a30f-22b8a44e4fff', 'x'.repeat(999), theirs?.id ?? '']) {
    await using lost = await follow({ headers: { 'Last-Event-ID': unknown } });
    await lost.expectTypes(['gap']);
    await record('after');
    await lost.expectTypes(['gap', 'search.saved_match']);
  }
});

test('a week of events arrives whole at a client that was away, with those that happen meanwhile', async () => {
  await record('before');
  await using before = await follow();
  await before.expectTypes(['ready']);
  const values = Array.from({ length: 1000 }, (_, i) => ({
    workspace_id: service.workspaceId,
    type: 'search.saved_match' as const,
    media_id: null,
    data: JSON.stringify(match(String(i))),
  }));
  await service.db.insertInto('events').values(values.slice(0, 900)).execute();
  const streams = await Promise.all(
    Array.from({ length: 5 }, () => follow({ headers: { 'Last-Event-ID': before.lastEventId() } })),
  );
  for (const value of values.slice(900)) await service.db.insertInto('events').values(value).execute();
  for (const stream of streams) {
    await vi.waitFor(() => expect(stream.received.length).toBe(1000), 20_000);
    const names = stream.received.map(({ data = '' }) => (JSON.parse(data) as { data: ReturnType<typeof match> }).data);
    expect(names.map(({ saved_search: { name } }) => name)).toEqual(values.map((_, i) => String(i)));
    await stream[Symbol.asyncDispose]();
  }
});

test('only the types that were asked for are sent, and unknown ones refused', async () => {
  await using stream = await follow({ query: '?types=media.deleted,search.saved_match' });
  await stream.expectTypes(['ready']);
  const { data } = await upload();
  await service.client.waitUntilIndexed(data.id);
  await service.client.delete(`/media/${data.id}`);
  await stream.expectTypes(['ready', 'media.deleted']);
  for (const query of ['?types=media.everything', '?types=', '?types=media.created,', '?last_event_id=7']) {
    await using refused = await follow({ query });
    expect(refused.response.status, query).toBe(400);
  }
});

test('HEAD ends at once, and other methods are refused', async () => {
  const answers = await Promise.all(
    ['HEAD', 'POST', 'PUT'].map((method) =>
      fetch(`${service.url}${basePath}/events`, { method, headers: { Authorization: `Bearer ${service.key}` } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 405, 405]);
  expect(await answers[0]?.text()).toBe('');
});

/** How many streams the service says are open. */
async function countStreams(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^media_search_event_streams (\d+)$/m.exec(text)?.[1]);
}

test('clients that go away, at whatever moment, leave no stream behind', async () => {
  await vi.waitFor(async () => expect(await countStreams()).toBe(0), 20_000);
  for (let ms = 0; ms < 20; ms++) {
    const options = { headers: { Authorization: `Bearer ${service.key}` }, signal: AbortSignal.timeout(ms) };
    await fetch(`${service.url}${basePath}/events`, options).catch(() => undefined);
  }
  await using kept = await follow();
  await kept.expectTypes(['ready']);
  await vi.waitFor(async () => expect(await countStreams()).toBe(1), 20_000);
});

test('a key that is revoked ends its streams; so does the service when it stops, at once', async () => {
  const browser = await service.signIn();
  const { data: issued } = await browser.post<{ id: string; key: string }>('/manage/api-keys', { name: 'x' });
  const { key: own } = issued;
  await using revoked = await followEvents(service.url, own);
  await using other = await follow();
  await Promise.all([revoked.expectTypes(['ready']), other.expectTypes(['ready'])]);
  expect((await browser.delete(`/manage/api-keys/${issued.id}`)).status).toBe(200);
  await revoked.ended;
  const again = await followEvents(service.url, own);
  expect(again.response.status).toBe(401);
  await record();
  await other.expectTypes(['ready', 'search.saved_match']);
  const begun = performance.now();
  const stopped = service.stop();
  await other.ended;
  await stopped;
  expect(performance.now() - begun).toBeLessThan(5000);
});

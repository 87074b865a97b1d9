import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../catalog/accounts/api-keys.ts';
import { recordEvent } from '../../catalog/events/events.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { createMemoryPubSub } from '../pubsub/pubsub.ts';
import { createEventFeed } from './event-feed.ts';

const log = { error: vi.fn() };
const secrets = createSecrets(new Uint8Array(32));

afterEach(() => {
  vi.useRealTimers();
  expect(log.error.mock.calls.splice(0)).toEqual([]);
});

async function setUp() {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const t = await openTestCatalog();
  const { db, workspaceId } = t;
  const pubsub = createMemoryPubSub(log);
  let reportGap = () => {};
  const onGap = (handler: () => void) => {
    reportGap = handler;
    return () => {};
  };
  const feed = createEventFeed({ db, pubsub: { ...pubsub, onGap }, log });
  const keyId = (await listApiKeys(db, workspaceId))[0]?.id ?? '';
  const opened: Readable[] = [];
  const open = async (changes: Partial<Parameters<typeof feed.open>[0]> = {}) => {
    const stream = await feed.open({ workspaceId, keyId, lastEventId: null, types: null, ...changes });
    opened.push(stream);
    return stream;
  };
  return {
    ...t,
    pubsub,
    feed,
    keyId,
    open,
    /** Opens a stream and keeps what it gives. */
    async follow(changes: Parameters<typeof open>[0] = {}) {
      const stream = await open(changes);
      const read = { text: '', stream, isOpen: true };
      stream.on('data', (bytes: Buffer) => (read.text += String(bytes)));
      stream.on('close', () => (read.isOpen = false));
      return read;
    },
    /** Adds events without a notice. */
    async record(count = 1, filename = 'a.mp4') {
      const media = { id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc1', filename, type: 'video' as const };
      const saved_search = { id: '01a1fbe4-6806-793e-a30f-22b8a44e4fc0', name: 'Ferries' };
      for (let i = 0; i < count; i++) {
        await recordEvent(db, workspaceId, 'search.saved_match', { saved_search, media, hits: [] });
      }
    },
    notify: () => pubsub.publish(db, 'events', workspaceId),
    reportGap: () => reportGap(),
    async [Symbol.asyncDispose]() {
      feed.stop();
      for (const stream of opened) stream.destroy();
      await t[Symbol.asyncDispose]();
    },
  };
}

const countEvents = (text: string) => text.split('event: search.saved_match').length - 1;

test('what happened while no notice could come is sent as soon as they can again', async () => {
  await using t = await setUp();
  const read = await t.follow();
  await t.record();
  t.reportGap();
  await vi.waitFor(() => expect(countEvents(read.text)).toBe(1), 20_000);
});

test('an event whose notice was lost is sent with the next heartbeat', async () => {
  await using t = await setUp();
  const read = await t.follow();
  await vi.waitFor(() => expect(read.text).toBe('retry: 2000\n\nevent: ready\ndata: {}\n\n'), 20_000);
  await t.record();
  vi.advanceTimersByTime(15_000);
  await vi.waitFor(() => expect(countEvents(read.text)).toBe(1), 20_000);
  expect(read.text).toContain('\n\n:\n\n');
});

test('a heartbeat moves a stream past events that it did not ask for, so that it can go on when they have left the log', async () => {
  await using t = await setUp();
  const read = await t.follow({ types: new Set(['media.failed']) });
  const other = await t.follow();
  await t.record(2);
  await t.notify();
  await vi.waitFor(() => expect(countEvents(other.text)).toBe(2), 20_000);
  const { id } = await t.db.selectFrom('events').select('id').orderBy('number', 'desc').executeTakeFirstOrThrow();
  vi.advanceTimersByTime(15_000);
  await vi.waitFor(() => expect(read.text.endsWith(`\n\nid: ${id}\n\n`)).toBe(true), 20_000);
  vi.advanceTimersByTime(15_000);
  await vi.waitFor(() => expect(read.text.endsWith(`\n\nid: ${id}\n\n:\n\n`)).toBe(true), 20_000);
  expect(read.text).not.toContain('Ferries');
  await t.record();
  await t.notify();
  await vi.waitFor(() => expect(countEvents(other.text)).toBe(3), 20_000);
});

test('a key that is revoked, replaced or expires gets nothing more, and others go on', async () => {
  await using t = await setUp();
  const { db, workspaceId } = t;
  const keys = await Promise.all(['a', 'b', 'c'].map((name) => issueApiKey(db, secrets, workspaceId, name)));
  const [revoked, rotated, expiring] = await Promise.all(keys.map(({ id }) => t.follow({ keyId: id })));
  const other = await t.follow();
  await revokeApiKey(db, workspaceId, keys[0]?.id ?? '');
  // In the same moment: the event comes after the revocation.
  await t.record();
  await t.notify();
  await vi.waitFor(() => expect(revoked?.isOpen).toBe(false), 20_000);
  expect(revoked?.text).not.toContain('Ferries');
  await vi.waitFor(() => expect(countEvents(other.text)).toBe(1), 20_000);
  await rotateApiKey(db, secrets, workspaceId, keys[1]?.id ?? '', 0, 'somebody');
  await t.pubsub.publish(db, 'workspace', workspaceId);
  await vi.waitFor(() => expect(rotated?.isOpen).toBe(false), 20_000);
  await rotateApiKey(db, secrets, workspaceId, keys[2]?.id ?? '', 1, 'somebody');
  vi.advanceTimersByTime(15_000);
  await t.record();
  await t.notify();
  await vi.waitFor(() => expect(countEvents(other.text)).toBe(2), 20_000);
  expect(expiring?.isOpen).toBe(true);
  await db
    .updateTable('api_keys')
    .set({ expires_at: '2026-01-01T00:00:00.000Z' })
    .where('id', '=', keys[2]?.id ?? '')
    .execute();
  vi.advanceTimersByTime(15_000);
  await vi.waitFor(() => expect(expiring?.isOpen).toBe(false), 20_000);
  expect([other.isOpen, t.feed.count()]).toEqual([true, 1]);
});

test('a client that reads slowly is not buffered for, and gets everything; one that reads nothing is cut off', async () => {
  await using t = await setUp();
  const idle = await t.open();
  const slow = await t.open();
  const quick = await t.follow();
  await t.record(3000, 'x'.repeat(200));
  await t.notify();
  await vi.waitFor(() => expect(countEvents(quick.text)).toBe(3000), 20_000);
  // One page at most beyond what a stream holds in any case.
  for (const { readableLength } of [idle, slow]) expect(readableLength).toBeLessThan(250_000);
  let text = '';
  while (countEvents(text) < 3000) {
    const bytes = slow.read() as Buffer | null;
    if (bytes === null) await once(slow, 'readable');
    else text += String(bytes);
  }
  expect(countEvents(text)).toBe(3000);
  vi.advanceTimersByTime(30_000);
  expect(idle.destroyed).toBe(true);
  expect([quick.isOpen, slow.destroyed]).toEqual([true, false]);
  await vi.waitFor(() => expect(t.feed.count()).toBe(2), 20_000);
});

test('a key has a bounded number of streams, and gets those back that have ended', async () => {
  await using t = await setUp();
  const streams = await Promise.all(Array.from({ length: 100 }, () => t.open()));
  await expect(t.open()).rejects.toMatchObject({ code: 'throttled', headers: { 'Retry-After': '30' } });
  const other = await issueApiKey(t.db, secrets, t.workspaceId);
  const theirs = await t.open({ keyId: other.id });
  streams[0]?.destroy();
  await once(streams[0] as Readable, 'close');
  await t.open();
  expect(t.feed.count()).toBe(101);
  t.feed.stop();
  // What is told at the end is still read.
  expect(String(theirs.read())).toContain('event: ready');
  theirs.resume();
  await once(theirs, 'end');
});

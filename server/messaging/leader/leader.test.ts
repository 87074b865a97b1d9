import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { endConnections, needsServer, temporaryDatabase, testDatabaseUrl } from '../../testing/temporary-database.ts';
import type { Stoppable } from './leader.ts';
import { createOnlyLeader } from './only-leader.ts';
import { createPostgresLeader } from './postgres-leader.ts';

const log = { error: () => undefined, warn: () => undefined };

/** A duty that writes down its starts and ends. */
function createDuty(name: string, events: string[]): () => Promise<Stoppable> {
  return async () => {
    await delay(1);
    events.push(`${name} starts`);
    return {
      async stop() {
        await delay(1);
        events.push(`${name} ends`);
      },
    };
  };
}

test('one process leads at once and ends its duties in reverse order', async () => {
  const events: string[] = [];
  const leader = createOnlyLeader(log);
  expect(leader.isLeading()).toBe(true);
  leader.whileLeading('a', createDuty('a', events));
  leader.whileLeading('broken', () => Promise.reject(new Error('no')));
  leader.whileLeading('b', createDuty('b', events));
  await vi.waitFor(() => expect(events).toHaveLength(2), 20_000);
  await leader.stop();
  leader.whileLeading('late', createDuty('late', events));
  await delay(5);
  expect(events).toEqual(['a starts', 'b starts', 'b ends', 'a ends']);
  expect(leader.isLeading()).toBe(false);
});

test('a duty that is still starting when the leader stops is ended too, and one that did not begin is not started', async () => {
  const events: string[] = [];
  const leader = createOnlyLeader(log);
  const began = Promise.withResolvers<void>();
  const start = createDuty('a', events);
  leader.whileLeading('a', () => {
    began.resolve();
    return start();
  });
  leader.whileLeading('b', createDuty('b', events));
  await began.promise;
  await leader.stop();
  expect(events).toEqual(['a starts', 'a ends']);
});

test('of two processes one leads; when it stops, and when its connection breaks, the other does', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using database = await temporaryDatabase();
  const events: string[] = [];
  const first = await createPostgresLeader(database.url, log);
  first.whileLeading('first', createDuty('first', events));
  const second = await createPostgresLeader(database.url, log);
  second.whileLeading('second', createDuty('second', events));
  expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);

  await first.stop();
  await vi.waitFor(() => expect(second.isLeading()).toBe(true), 20_000);
  await vi.waitFor(() => expect(events).toEqual(['first starts', 'first ends', 'second starts']), 20_000);

  const third = await createPostgresLeader(database.url, log);
  third.whileLeading('third', createDuty('third', events));
  expect(third.isLeading()).toBe(false);
  expect(await endConnections(database.name, 'media-search leader')).toBe(2);
  await vi.waitFor(() => expect(events).toContain('second ends'), 20_000);
  await vi.waitFor(() => expect(Number(second.isLeading()) + Number(third.isLeading())).toBe(1), 20_000);
  await Promise.all([second.stop(), third.stop()]);
  expect(events.filter((event) => event.includes('starts')).length).toBe(
    events.filter((event) => event.includes('ends')).length,
  );
});

test('a leader refuses to start without its database', async () => {
  await expect(createPostgresLeader('postgres://nobody@127.0.0.1:9/none', log)).rejects.toThrow(/ECONNREFUSED/);
});

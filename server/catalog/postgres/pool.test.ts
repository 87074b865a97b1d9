import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { needsServer, temporaryDatabase, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { arrayOfHalfvecs } from '../dialect/binary-arrays.ts';
import { isOutdatedPlan } from '../dialect/transient-errors.ts';
import { inRows } from '../transactions.ts';
import { noticeOf } from './notifier.ts';
import { createPool } from './pool.ts';
import { createSilenceWatch } from './silence-watch.ts';

/** Lets nothing else run in this process, as long work in one piece does. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test.runIf(testDatabaseUrl)(
  `a commit that fails because of others is no success: the transaction is begun again (${needsServer})`,
  async () => {
    await using fresh = await openFresh('postgres');
    const { db } = fresh;
    // The trigger fails at the commit of the first attempt, as one that waits for a row in a circle does. A sequence is not rolled back.
    await sql`create sequence attempts`.execute(db);
    await sql`create table stored (id integer)`.execute(db);
    await sql`create function fail_once() returns trigger language plpgsql as $$ begin
      if nextval('attempts') = 1 then raise exception 'in a circle' using errcode = '40P01'; end if;
      return null; end $$`.execute(db);
    await sql`create constraint trigger fails after insert on stored deferrable initially deferred
      for each row execute function fail_once()`.execute(db);
    let begun = 0;
    await inRows(db, async (transaction) => {
      begun += 1;
      await sql`insert into stored values (1)`.execute(transaction);
      // In a busy process the failure and the end of the transaction are read together.
      setImmediate(() => block(300));
    });
    expect((await sql`select id from stored`.execute(db)).rows).toEqual([{ id: 1 }]);
    expect(begun).toBe(2);
    // A statement alone is repeated: it has done nothing.
    await sql`alter sequence attempts restart`.execute(db);
    await sql`insert into stored values (2)`.execute(db);
    expect((await sql`select id from stored order by id`.execute(db)).rows).toEqual([{ id: 1 }, { id: 2 }]);
  },
);

test.runIf(testDatabaseUrl)(
  `a connection that could not ask for the type of vectors asks again (${needsServer})`,
  async () => {
    await using database = await temporaryDatabase();
    const pool = createPool(database.url, 1);
    const client = await pool.connect();
    onTestFinished(() => {
      client.release();
      return pool.end();
    });
    const vectors = [arrayOfHalfvecs([Float32Array.of(1, 0.5)])];
    await expect(client.query('select $1', vectors)).rejects.toThrow('halfvec');
    await client.query('create extension vector');
    const { rows } = await client.query<{ text: string }>('select $1::halfvec[]::text as text', vectors);
    expect(rows).toEqual([{ text: '{"[1,0.5]"}' }]);
  },
);

test('what a server says in its own language is understood', () => {
  const russian = { severity: 'ИНФОРМАЦИЯ', message: 'media_search jobs x' };
  expect(noticeOf(russian)).toBe('jobs x');
  expect(noticeOf({ message: 'something else' })).toBeNull();
  const plan = 'в кэшированном плане не должен изменяться тип результата';
  expect(isOutdatedPlan(Object.assign(new Error(plan), { code: '0A000', routine: 'RevalidateCachedQuery' }))).toBe(
    true,
  );
  expect(isOutdatedPlan(Object.assign(new Error('cannot'), { code: '0A000', routine: 'other' }))).toBe(false);
});

test.runIf(testDatabaseUrl)(
  `a server is not taken for silent because this process stood still (${needsServer})`,
  { timeout: 30_000 },
  async () => {
    const { port } = new URL(testDatabaseUrl ?? '');
    // When the server is asked, nothing runs in this process for as long as an answer may take.
    const { promise: stalled, resolve: noteStall } = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      block(5500);
      noteStall();
      const upstream = connect(Number(port), '127.0.0.1');
      for (const each of [socket, upstream]) each.on('error', () => undefined);
      socket.pipe(upstream).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = new URL(testDatabaseUrl ?? '');
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    let isGivenUp = false;
    const answered = createSilenceWatch({ connectionString: url.href }).begin({ giveUp: () => (isGivenUp = true) });
    await stalled;
    await delay(2000);
    answered();
    expect(isGivenUp).toBe(false);
  },
);

import { expect, test } from 'vitest';
import { askServer, needsServer, temporaryDatabase, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { childOptions, openCatalogAt, serviceOptions } from '../catalog-location.ts';
import { createPool } from './pool.ts';

const open = (url: string) => openCatalogAt({ url }, serviceOptions);

test('a server that does not answer is named in a sentence without the password', async () => {
  await expect(open('postgres://somebody:secret@127.0.0.1:9/test')).rejects.toThrow(
    /^The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:9\.$/,
  );
});

test('several processes bring an empty database up to date at once; others of the service never do', async (t) => {
  t.skip(testDatabaseUrl === undefined, needsServer);
  await using database = await temporaryDatabase();
  await expect(openCatalogAt({ url: database.url }, childOptions)).rejects.toThrow('start the service');
  const opened = await Promise.all([open(database.url), open(database.url), open(database.url)]);
  for (const db of opened) expect(await db.selectFrom('plans').select('id').execute()).toEqual([{ id: 'self-hosted' }]);
  await opened[0]
    ?.insertInto('kysely_migration' as never)
    .values({ name: '9999-later', timestamp: '' })
    .execute();
  await opened[0]
    ?.updateTable('service_settings')
    .set({ value: '9999-later' })
    .where('name', '=', 'least_change')
    .execute();
  for (const db of opened) await db.destroy();
  await expect(open(database.url)).rejects.toThrow('newer version of Media Search (it has the change 9999-later)');
});

test('a database that cannot hold a catalog is refused', async (t) => {
  t.skip(testDatabaseUrl === undefined, needsServer);
  const name = 'test_ascii';
  await askServer(`drop database if exists ${name}`);
  await askServer(`create database ${name} encoding 'SQL_ASCII' template template0 locale 'C'`);
  const url = new URL(testDatabaseUrl ?? '');
  url.pathname = `/${name}`;
  await expect(open(url.href)).rejects.toThrow('has the encoding SQL_ASCII; create one with UTF8');
  await askServer(`drop database ${name}`);
  await using database = await temporaryDatabase();
  const role = `test_role_${database.name.slice(-12)}`;
  await askServer(`create role ${role} login password 'test'`);
  const asRole = new URL(database.url);
  asRole.username = role;
  asRole.password = 'test';
  await expect(open(asRole.href)).rejects.toThrow('have a superuser run create extension vector');
  await askServer(`drop role ${role}`);
  url.pathname = '/test_absent';
  await expect(open(url.href)).rejects.toThrow('database "test_absent" does not exist');
});

test('numbers are numbers, and statements that were prepared before a table was changed work again', async (t) => {
  t.skip(testDatabaseUrl === undefined, needsServer);
  await using database = await temporaryDatabase();
  const pool = createPool(database.url, 1);
  const client = await pool.connect();
  const ask = async (statement: string, values: unknown[] = []) => (await client.query<object>(statement, values)).rows;
  expect(await ask('select 9007199254740991::bigint as a, sum(2::bigint) as b')).toEqual([{ a: 2 ** 53 - 1, b: 2 }]);
  await expect(ask('select 9007199254740993::bigint')).rejects.toThrow(RangeError);
  await ask('create table things (a int)');
  const read = () => ask('select * from things where a = $1', [1]);
  expect(await read()).toEqual([]);
  await ask('alter table things add column b int');
  expect(await read()).toEqual([]);
  // A transaction fails as a whole, and works when it is begun again.
  await ask('alter table things add column c int');
  await ask('begin');
  await expect(read()).rejects.toThrow('cached plan');
  await ask('rollback');
  expect(await read()).toEqual([]);
  client.release();
  await pool.end();
});

test('what is committed is on the disk, whatever the default of the server is', async (t) => {
  t.skip(testDatabaseUrl === undefined, needsServer);
  await using database = await temporaryDatabase();
  for (const [setting, used] of [
    ['off', 'on'],
    ['remote_apply', 'remote_apply'],
  ]) {
    await askServer(`alter database ${database.name} set synchronous_commit = ${setting}`);
    const pool = createPool(database.url, 1);
    expect((await pool.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: used }]);
    await pool.end();
  }
});

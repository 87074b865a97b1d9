import { randomUUID } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';

/** A PostgreSQL server for tests, whose user may make databases; undefined: there is none. */
// oxlint-disable-next-line node/no-process-env -- a setting of the tests, not of the service
export const testDatabaseUrl = process.env['TEST_DATABASE_URL'];

/** Why a test does not run without a server. */
export const needsServer = 'needs a PostgreSQL server: set TEST_DATABASE_URL';

/** Runs a statement on the server of the tests, outside of the database that a test uses. */
export async function askServer<Row extends QueryResultRow>(statement: string, values?: unknown[]): Promise<Row[]> {
  const client = new Client(testDatabaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(statement, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** Runs statements that take no parameters in a database. */
export async function runScript(url: string, script: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(script);
  } finally {
    await client.end();
  }
}

/**
 * A database of the server, which is removed at the end.
 * @param template the database that it is a copy of; undefined: it is empty
 */
export async function temporaryDatabase(
  template = 'template1',
): Promise<AsyncDisposable & { url: string; name: string }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await askServer(`create database ${name} template ${template}`);
  const url = new URL(testDatabaseUrl ?? '');
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    async [Symbol.asyncDispose]() {
      await askServer(`drop database if exists ${name} with (force)`);
    },
  };
}

/** Ends the connections of a database whose `application_name` matches, as a restart or a failover does. @returns how many */
export async function endConnections(database: string, applicationName = '%'): Promise<number> {
  const ended = await askServer(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like $2',
    [database, applicationName],
  );
  return ended.length;
}

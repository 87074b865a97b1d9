import { spawn } from 'node:child_process';
import { once } from 'node:events';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect } from 'vitest';
import { migrationsOf } from '../catalog/migrations.ts';
import { compileCache } from './programs.ts';

/**
 * Makes a catalog of an earlier version, to be filled and closed.
 * @param before the first change of the schema that it lacks, such as `0014`
 */
export async function makeEarlierCatalog(file: string, before: string): Promise<Kysely<unknown>> {
  const old = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SQLite(file) }) });
  const earlier = Object.fromEntries(Object.entries(migrationsOf('sqlite')).filter(([name]) => name < before));
  const provider = { getMigrations: () => Promise.resolve(earlier) };
  expect((await new Migrator({ db: old, provider }).migrateToLatest()).error).toBeUndefined();
  return old;
}

/** Opens a catalog in a process that kills itself before the first statement that matches. */
export async function openAndKill(file: string, statement: string): Promise<void> {
  const program = `
    import SQLite from 'better-sqlite3';
    import { openCatalog } from ${JSON.stringify(new URL('../catalog/open-catalog.ts', import.meta.url).href)};
    const proto = Object.getPrototypeOf(new SQLite(':memory:').prepare('select 1'));
    for (const method of ['run', 'all']) {
      const original = proto[method];
      proto[method] = function (...parameters) {
        if ((this.source + ' ' + parameters).includes(${JSON.stringify(statement)})) process.kill(process.pid, 'SIGKILL');
        return original.apply(this, parameters);
      };
    }
    await openCatalog(${JSON.stringify(file)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: compileCache,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

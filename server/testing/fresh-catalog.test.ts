import SQLite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { listWorkspaces } from '../catalog/accounts/workspaces.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { copyEmptyCatalog } from './fresh-catalog.ts';

test('the catalog that services of tests begin with is the one that all migrations make', async () => {
  await using folder = await temporaryFolder();
  await copyEmptyCatalog(folder.file('catalog.db'));
  // Not by the service's own functions: they bring the schema up to date.
  const read = (file: string) => {
    const sqlite = new SQLite(file, { readonly: true });
    const names = sqlite.prepare('select name from kysely_migration order by name').all();
    const schema = sqlite.prepare('select type, name, sql from sqlite_schema order by type, name').all();
    sqlite.close();
    return { names, schema };
  };
  await (await openCatalog(folder.file('migrated.db'))).destroy();
  expect(read(folder.file('catalog.db'))).toEqual(read(folder.file('migrated.db')));
  await using db = await openCatalog(folder.file('catalog.db'));
  expect(await listWorkspaces(db)).toEqual([]);
});

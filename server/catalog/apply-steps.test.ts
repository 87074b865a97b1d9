import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openFresh } from '../testing/fresh-catalog.ts';
import { needsServer, testDatabaseUrl } from '../testing/temporary-database.ts';
import { applySteps, leastChangeSetting } from './apply-steps.ts';
import { openCatalogAt, serviceOptions } from './catalog-location.ts';
import { leastChange, migrationsOf } from './migrations.ts';
import { checkSchema } from './prepare-schema.ts';
import { readSetting } from './service-settings.ts';

const nothing = { up: () => Promise.resolve() };
const column = (name: string) => ({
  up: async (db: Kysely<unknown>) => void (await sql.raw(`alter table plans add column ${name} text`).execute(db)),
});

test('the least change is one that this version has', () => {
  expect(Object.keys(migrationsOf('sqlite'))).toContain(leastChange);
});

test.each(['sqlite', ...(testDatabaseUrl === undefined ? [] : ['postgres' as const])] as const)(
  'over %s a newer schema says whether processes of before go on',
  async (backend) => {
    await using fresh = await openFresh(backend);
    const { db } = fresh;
    expect(await readSetting(db, leastChangeSetting)).toBe(leastChange);
    const steps = { ...migrationsOf(backend), '9997-a': column('a') };
    await applySteps(db, steps, leastChange);
    expect(await checkSchema(db, 'It')).toBe(false);
    // What another version noted as necessary stays so.
    const more = { ...steps, '9998-b': nothing };
    await applySteps(db, more, '9997-a');
    await expect(checkSchema(db, 'It')).rejects.toThrow(
      'It was written by a newer version of Media Search (it has the',
    );
    await applySteps(db, { ...more, '9999-c': nothing }, leastChange);
    expect(await readSetting(db, leastChangeSetting)).toBe('9997-a');
    await sql`update service_settings set value = ${leastChange} where name = ${leastChangeSetting}`.execute(db);
    expect(await checkSchema(db, 'It')).toBe(false);
    // Of two versions that know different changes neither can add its own.
    await sql`delete from kysely_migration where name = '0049-shares'`.execute(db);
    await expect(checkSchema(db, 'It')).rejects.toThrow('newer version');
  },
);

test('a change that waits for a table gives up in time; the others go on, and the changes before it stay', async (context) => {
  context.skip(testDatabaseUrl === undefined, needsServer);
  await using fresh = await openFresh('postgres');
  await using other = await openCatalogAt(fresh.location, serviceOptions);
  const steps = { ...migrationsOf('postgres'), '9998-before': nothing, '9999-waits': column('later') };
  await other.transaction().execute(async (transaction) => {
    await sql`lock table plans in access share mode`.execute(transaction);
    const waiting = applySteps(fresh.db, steps, leastChange, { lock: 200, all: 1000 });
    const outcome = expect(waiting).rejects.toThrow(
      'The change 9999-waits of the database waited 1 s for a table that another session has locked',
    );
    let longest = 0;
    for (const begun = performance.now(); performance.now() - begun < 1500;) {
      const asked = performance.now();
      await other.selectFrom('plans').select('id').execute();
      longest = Math.max(longest, performance.now() - asked);
    }
    await outcome;
    expect(longest).toBeLessThan(1000);
  });
  const { rows } = await sql<{ name: string }>`select name from kysely_migration where name >= '9'`.execute(other);
  expect(rows).toEqual([{ name: '9998-before' }]);
  // Two processes at once.
  await Promise.all([applySteps(fresh.db, steps, leastChange), applySteps(other, steps, leastChange)]);
  expect((await sql`select later from plans`.execute(other)).rows).toHaveLength(1);
});

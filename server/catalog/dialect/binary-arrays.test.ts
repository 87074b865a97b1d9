import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { packIntegers, unpackNumbers } from './binary-arrays.ts';
import { fromHalfvec, toHalfvec, toHalfvecBytes } from './halfvec.ts';

test.runIf(testDatabaseUrl)(`PostgreSQL reads and writes arrays and vectors as we do (${needsServer})`, async () => {
  await using fresh = await openFresh('postgres');
  const { db } = fresh;
  const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 32 + 7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  for (const list of [numbers, [], [5]]) {
    const { rows } = await sql<{ text: string; integers: Buffer; floats: Buffer; none: Buffer | null }>`
      select given::text as text, array_send(given) as integers,
        array_send(array(select number / 4.0 from unnest(given) with ordinality own (number, place) order by place)::float8[]) as floats,
        (select array_send(array_agg(number)) from unnest(given) own (number) where false) as none
      from (select ${packIntegers(list)}::bigint[] as given) given`.execute(db);
    expect(rows[0]?.text).toBe(`{${list.join(',')}}`);
    expect([...unpackNumbers(rows[0]?.integers ?? null)]).toEqual(list);
    expect([...unpackNumbers(rows[0]?.floats ?? null)]).toEqual(list.map((number) => number / 4));
    expect(unpackNumbers(rows[0]?.none ?? null)).toHaveLength(0);
  }
  const vector = Float32Array.from([0.1, -0.25, 6e-8, 65_504, -0, 0.333_333]);
  const { rows } = await sql<{ isSame: boolean; bytes: Buffer }>`
    select ${toHalfvecBytes(vector)}::halfvec = ${toHalfvec(vector)}::halfvec as "isSame",
      halfvec_send(${toHalfvecBytes(vector)}::halfvec) as bytes`.execute(db);
  expect(rows[0]?.isSame).toBe(true);
  expect(fromHalfvec(rows[0]?.bytes as Buffer)).toEqual(Float32Array.from(new Float16Array(vector)));
});

test('what is no number of that kind is refused', () => {
  for (const component of [Number.NaN, Infinity, 1e6]) {
    expect(() => toHalfvecBytes(Float32Array.of(1, component))).toThrow('component 1');
  }
  const texts = Buffer.from('0000000100000000000000190000000100000001', 'hex');
  expect(() => unpackNumbers(texts)).toThrow('type 25');
});

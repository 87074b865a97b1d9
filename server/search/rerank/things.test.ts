import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AskedThing } from '@media-search/models/builtin/things/asked-things';
import type { ThingEvidence } from '@media-search/models/builtin/things/thing-evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService } from '../../testing/running-service.ts';
import type { EngineHit } from '../hits.ts';
import { verdictWithThings, weighSeen } from './things.ts';

/** What words find by the things that they name: photographs of the browser tests in a real service, with the built-in embedder. */

const service = await startTestService({ embedder: 'builtin' });
const { client, db } = service;
afterAll(() => service[Symbol.asyncDispose]());

const pictures = fileURLToPath(new URL('../../../e2e/pictures/', import.meta.url));

beforeAll(async () => {
  for (const name of ['dog.jpg', 'cat.jpg', 'coffee.jpg', 'giraffes.jpg'])
    await client.waitUntilIndexed((await client.upload(path.join(pictures, name))).data.id);
});

/** The first hit, the names of the clear ones, and whether the answer says that nothing matches. */
async function search(query: string, more?: string) {
  const { data, meta } = await client.search(query, more);
  const clear = data.filter(({ weak }) => !weak).map(({ filename }) => filename);
  return { first: data[0]?.filename, clear, isUnclear: meta.notice?.includes('No clear matches') === true, hits: data };
}

test('what the detector saw is stored with the views of a chunk, in 200 bytes at most', async () => {
  const rows = await db.selectFrom('chunk_views').select('things').execute();
  expect(rows).toHaveLength(4);
  for (const { things } of rows) {
    expect(things.length).toBeGreaterThan(2);
    expect(things.length).toBeLessThanOrEqual(200);
  }
});

test('a thing that is nowhere is said to be missing, also among few; one that is seen is a clear hit', async () => {
  for (const query of ['wolf', 'a rabbit', 'elephants', 'lion']) {
    expect(await search(query), query).toMatchObject({ clear: [], isUnclear: true });
  }
  for (const [query, file] of [
    ['cat', 'cat.jpg'],
    ['a dog', 'dog.jpg'],
    ['giraffe', 'giraffes.jpg'],
  ] as const) {
    const { first, clear, isUnclear } = await search(query);
    expect([first, clear.includes(file), isUnclear], query).toEqual([file, true, false]);
  }
});

test('nothing is said of things in a search that is not judged again, nor of chunks of earlier versions', async () => {
  expect((await search('wolf', '&rerank=0')).isUnclear).toBe(false);
  const stored = await db.selectFrom('chunk_views').selectAll().execute();
  await db.updateTable('chunk_views').set({ things: new Uint8Array() }).execute();
  expect((await search('wolf')).isUnclear).toBe(false);
  for (const { chunk_number, things } of stored)
    await db.updateTable('chunk_views').set({ things }).where('chunk_number', '=', chunk_number).execute();
});

const hit = (number: number, score: number, more: { weak?: boolean; text?: number } = {}): EngineHit =>
  ({
    chunk: { number },
    score,
    weak: more.weak ?? false,
    signals: more.text === undefined ? {} : { text: more.text },
  }) as unknown as EngineHit;
const asked = (more: { isComplete?: boolean } = {}) => [{ isComplete: more.isComplete ?? true }] as AskedThing[];
const seen = (...present: number[]) =>
  new Map(present.map((each, i): [number, ThingEvidence[]] => [i + 1, [{ present: each, fits: null }]]));
const weak = (hits: EngineHit[]) => hits.map((each) => [each.chunk.number, each.weak]);

test('where a thing is seen in none, all are weak but those whose text matches, which come first', () => {
  const hits = [hit(1, 0.9), hit(2, 0.8, { text: 3 })];
  const weighed = weighSeen(hits, asked(), seen(0.1, 0));
  expect(weak(weighed)).toEqual([
    [2, false],
    [1, true],
  ]);
  expect(weighed[1]?.score).toBeLessThan(0.25);
  for (const same of [
    weighSeen(hits, asked({ isComplete: false }), seen(0.1, 0)),
    weighSeen(hits, asked(), seen(0.1, 0.3)),
    weighSeen(hits, asked(), new Map()),
  ])
    expect(same).toBe(hits);
});

test('where all were weak, those that surely show it are clear and first', () => {
  const hits = [hit(1, 0.2, { weak: true }), hit(2, 0.1, { weak: true }), hit(3, 0.05, { weak: true })];
  expect(weak(weighSeen(hits, asked(), seen(0.3, 0.9)))).toEqual([
    [2, false],
    [1, true],
    [3, true],
  ]);
});

test('a verdict rises with what is seen, and falls where number or colour are others', () => {
  const verdict = (present: number, fits: number | null) => verdictWithThings(0.4, [{ present, fits }]);
  expect(verdictWithThings(0.4, null)).toBe(0.4);
  expect(verdict(0, null)).toBeCloseTo(0.4);
  expect(verdict(0.9, null)).toBeGreaterThan(0.5);
  expect(verdict(0.9, 1)).toBeGreaterThan(verdict(0.9, null));
  expect(verdict(0.9, 0)).toBeLessThan(0.4);
});

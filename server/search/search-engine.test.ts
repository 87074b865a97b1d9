import { randomUUID } from 'node:crypto';
import { descriptorsReference } from '@media-search/models/load-embedder';
import { dot, toUnit } from '@media-search/search-engine/vectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import { createWorkspace } from '../catalog/accounts/workspaces.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { createStageTimer } from '../platform/metrics/stage-timer.ts';
import { startEmbeddedSearch } from '../testing/memory-search.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { createTextEmbedders } from './embedding/text-embedders.ts';
import type { SearchEngine } from './search-engine.ts';

/** More than a search compares one by one: some six thousand. */
const count = 12_000;
const perItem = 3;
const embedder = createTextEmbedders().createQueryEmbedder(descriptorsReference);

const drawVector = (centre: number[], noise: number): number[] =>
  Array.from({ length: embedder.dimensions }, (_, i) => (centre[i] ?? 0) + noise * (Math.random() - 0.5));
/** In clusters, as images are: points spread evenly over so many dimensions are all equally far from each other. */
const centres = Array.from({ length: 300 }, () => drawVector([], 1));
const vectors = Array.from({ length: count }, (_, place) =>
  toUnit(drawVector(centres[place % centres.length] as number[], 0.8)),
);
/** Words by the chunks that hold them: all, every hundredth, two of the oldest, one of those two. */
const textOf = (place: number): string =>
  ['harbour', place % 100 === 0 ? 'lighthouse' : '', place < 2 ? 'sextant' : '', place === 1 ? 'walrus' : ''].join(' ');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let db: Catalog;
let workspaceId = '';
let numbers: number[] = [];
let engine: SearchEngine;

beforeAll(async () => {
  folder = await temporaryFolder();
  db = await openCatalog(folder.file('catalog.db'));
  const secrets = createSecrets(new Uint8Array(32));
  const other = await createWorkspace(db, secrets, { workspace: 'Other', owner: 'Other' });
  ({ id: workspaceId } = await createWorkspace(db, secrets, { workspace: 'Test', owner: 'Tester' }));
  numbers = await seedChunks(db, workspaceId, descriptorsEmbedder.id, { count, perItem }, (place) => ({
    vector: vectors[place] as Float32Array,
    text: textOf(place),
  }));
  // Newer and better matches of another workspace must not displace them.
  await seedChunks(db, other.id, descriptorsEmbedder.id, { count: 3000, perItem: 3000 }, (place) => ({
    vector: vectors[place] as Float32Array,
    text: 'harbour harbour lighthouse',
  }));
  engine = startEmbeddedSearch({
    db,
    catalogFile: folder.file('catalog.db'),
    indexDirectory: folder.file('indexes'),
    getEmbedder: () => Promise.resolve(embedder),
    onProblem: (error) => expect.unreachable(error.message),
  });
});

afterAll(async () => {
  await engine.stop();
  await db.destroy();
  await folder[Symbol.asyncDispose]();
});

const options = (wanted: number) => ({ count: wanted, dedupe: false, timer: createStageTimer() });

/** A creator of the first items, so many that they hold a share of all chunks. */
async function creatorOf(share: number): Promise<{ creator: string; chunks: number }> {
  const creator = randomUUID();
  const items = Math.max(1, Math.round((share * count) / perItem));
  const now = new Date().toISOString();
  const name = `Creator ${creator} of ${share}`;
  await db
    .insertInto('creators')
    .values({ workspace_id: workspaceId, id: creator, name, folded_name: name.toLowerCase(), created_at: now })
    .execute();
  const media = await db
    .selectFrom('chunks')
    .select('media_id')
    .where('number', 'in', numbers.filter((_, place) => place % perItem === 0).slice(0, items))
    .execute();
  await db
    .updateTable('media_items')
    .set({ creator_id: creator })
    .where(
      'id',
      'in',
      media.map(({ media_id }) => media_id),
    )
    .execute();
  return { creator, chunks: items * perItem };
}

test('the only image of a workspace scores at most 1 against itself, also if rounding makes its vector too long', async () => {
  const vector = vectors.reduce((longest, each) => (dot(each, each) > dot(longest, longest) ? each : longest));
  expect(dot(vector, vector)).toBeGreaterThan(1);
  const small = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Small', owner: 'Tester' });
  await seedChunks(db, small.id, descriptorsEmbedder.id, { count: 1, perItem: 1 }, () => ({ vector }));
  // With a filter, vectors are compared one by one, in full precision.
  const filter = { type: 'video' as const };
  const [hit] = (await engine.searchByVector(small.id, { vector, embedder }, filter, options(1))) ?? [];
  expect(hit?.score).toBeGreaterThan(0.9);
  expect(hit?.score).toBeLessThanOrEqual(1);
});

describe('a filter that lets', () => {
  test.each([0.0001, 0.01, 0.1, 0.5, 0.9, 1])(
    'a share of %f through gives what comparing all gives',
    async (share) => {
      const { creator, chunks } = await creatorOf(share);
      const queries = vectors.slice(-5);
      for (const wanted of [1, 20, 100]) {
        const missed: number[] = [];
        for (const query of queries) {
          const found = await engine.searchByVector(
            workspaceId,
            { vector: query, embedder },
            { creator_id: creator },
            options(wanted),
          );
          const expected = vectors
            .slice(0, chunks)
            .map((vector, place) => ({ number: numbers[place] as number, similarity: dot(vector, query) }))
            .toSorted((a, b) => b.similarity - a.similarity)
            .slice(0, wanted);
          const got = (found ?? []).map(({ chunk }) => chunk.number);
          expect(got).toHaveLength(expected.length);
          // Which of two that are as good as equal comes last depends on rounding.
          const last = (expected.at(-1)?.similarity ?? 0) + 0.001;
          missed.push(expected.filter(({ number, similarity }) => !got.includes(number) && similarity > last).length);
        }
        // With a broad filter the approximate index is used, which may miss a few: of several queries a tenth at most.
        const sum = missed.reduce((all, one) => all + one, 0);
        expect(sum).toBeLessThanOrEqual(chunks > 2000 ? Math.ceil((queries.length * wanted) / 10) : 0);
        for (const query of ['harbour', 'lighthouse']) {
          const { hits } = await engine.searchByText(workspaceId, query, { creator_id: creator }, options(wanted));
          const holding = vectors.filter((_, place) => place < chunks && textOf(place).includes(query)).length;
          expect(hits).toHaveLength(Math.min(wanted, holding));
          for (const { chunk, signals } of hits) {
            expect(chunk.creator_id).toBe(creator);
            expect(signals.terms).toEqual([query]);
          }
        }
      }
    },
    60_000,
  );
});

describe('words that very many chunks contain', () => {
  test('do not hide chunks that also contain the rare ones, however old', async () => {
    const { hits } = await engine.searchByText(workspaceId, 'harbour walrus sextant', {}, options(3));
    expect(hits[0]?.chunk.number).toBe(numbers[1]);
    expect(hits[0]?.signals.terms).toEqual(['harbour', 'walrus', 'sextant']);
    expect(hits[1]?.chunk.number).toBe(numbers[0]);
    expect(hits[1]?.signals.terms?.toSorted()).toEqual(['harbour', 'sextant']);
    // A word that all texts contain is not enough for a hit.
    expect(hits.map(({ weak }) => weak)).toEqual([false, false, true]);
  });

  test('count for chunks that a rare word found, in any inflection, and in file names first, however old', async () => {
    const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), {
      workspace: 'Words',
      owner: 'Tester',
    });
    const texts = ['walrus in the HÁRBOURS', '', 'walrus', ...Array<string>(3000).fill('harbour')];
    const found = await seedChunks(db, id, embedder.id, { count: texts.length, perItem: 1 }, (place) => ({
      vector: vectors[place] as Float32Array,
      text: texts[place] as string,
    }));
    const second = db
      .selectFrom('chunks')
      .select('media_id')
      .where('number', '=', found[1] as number);
    await db.updateTable('media_items').set({ filename: 'harbour.mp4' }).where('id', '=', second).execute();
    const both = await engine.searchByText(id, 'harbour walrus', {}, options(2));
    const terms = new Map(both.hits.map(({ chunk, signals }) => [chunk.number, signals.terms]));
    expect(terms.get(found[0] as number)).toEqual(['harbour', 'walrus']);
    const named = await engine.searchByText(id, 'harbour', {}, options(5));
    expect(named.hits[0]?.chunk.number).toBe(found[1]);
  });
});

/** Gives all chunks of a workspace new numbers, in one transaction, as indexing again does. */
const renumber = (workspace_id: string) =>
  db.transaction().execute(async (transaction) => {
    const chunks = await transaction
      .selectFrom('chunks')
      .selectAll()
      .where('workspace_id', '=', workspace_id)
      .execute();
    for (const { number: chunk_number, ...chunk } of chunks) {
      const stored = await transaction
        .selectFrom('chunk_vectors')
        .select('vector')
        .where('chunk_number', '=', chunk_number)
        .executeTakeFirstOrThrow();
      const links = await transaction
        .selectFrom('chunk_segments')
        .select('segment_number')
        .where('chunk_number', '=', chunk_number)
        .execute();
      await transaction.deleteFrom('chunks').where('number', '=', chunk_number).execute();
      const { number } = await transaction
        .insertInto('chunks')
        .values(chunk)
        .returning('number')
        .executeTakeFirstOrThrow();
      await transaction
        .insertInto('chunk_vectors')
        .values({ workspace_id, chunk_number: number, embedder_id: embedder.id, ...stored })
        .execute();
      for (const link of links) {
        await transaction
          .insertInto('chunk_segments')
          .values({ workspace_id, chunk_number: number, ...link })
          .execute();
      }
    }
  });

test('an item that is renamed or indexed again all the time is found by each search', async () => {
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Busy', owner: 'Tester' });
  await seedChunks(db, id, embedder.id, { count: 30, perItem: 3 }, (place) => ({
    vector: vectors[place] as Float32Array,
    text: place < 3 ? 'cormorant' : 'other',
  }));
  const first = await db.selectFrom('media_items').selectAll().where('workspace_id', '=', id).orderBy('id').execute();
  const done = new AbortController();
  const change = async () => {
    for (let round = 0; round < 12; round++) {
      for (const item of first) {
        await db
          .updateTable('media_items')
          .set({ filename: `${round}.mp4` })
          .where('id', '=', item.id)
          .execute();
      }
      await renumber(id);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    done.abort();
  };
  let searches = 0;
  const search = async () => {
    while (!done.signal.aborted) {
      const { hits } = await engine.searchByText(id, 'cormorant', {}, options(10));
      expect(hits.filter(({ signals }) => signals.terms?.includes('cormorant'))).toHaveLength(3);
      searches += 1;
    }
  };
  await Promise.all([change(), ...Array.from({ length: 8 }, search)]);
  expect(searches).toBeGreaterThan(20);
});

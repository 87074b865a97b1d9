import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { dialectOf } from '../catalog/dialect/dialect.ts';
import { createLabel } from '../catalog/labels/labels.ts';
import { changeMedia, deleteMedia } from '../catalog/media/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createStageTimer } from '../platform/metrics/stage-timer.ts';
import { searchBackends, searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import type { SearchEngine } from './search-engine.ts';

const random = createRandom(13);
const embedder = textEmbedder;
const draw = (): Float32Array => drawVector(random, embedder.dimensions);
/** A word that no other text holds, and none at one typing error. */
const newWord = (): string => `q${randomUUID().replaceAll('-', '')}`;

/** Stores an item of one chunk. */
async function store(db: Catalog, workspaceId: string, text: string, vector = draw()) {
  const [number = 0] = await seedChunks(db, workspaceId, embedder.id, { count: 1, perItem: 1 }, () => ({
    text,
    vector,
  }));
  const row = db.selectFrom('chunks').select('media_id').where('number', '=', number);
  const { media_id: id } = await row.executeTakeFirstOrThrow();
  return { number, id, vector };
}

const numbersOf = (hits: { chunk: { number: number } }[] | null): number[] =>
  (hits ?? []).map(({ chunk }) => chunk.number);

const byText = async (engine: SearchEngine, workspaceId: string, query: string, creator?: string) =>
  numbersOf(
    (
      await engine.searchByText(
        workspaceId,
        query,
        creator === undefined ? {} : { creator_id: creator },
        searchOptions(10),
      )
    ).hits,
  );

const byVector = async (engine: SearchEngine, workspaceId: string, vector: Float32Array, creator?: string) =>
  numbersOf(
    await engine.searchByVector(
      workspaceId,
      { vector, embedder },
      creator === undefined ? {} : { creator_id: creator },
      searchOptions(10),
    ),
  );

/** Searches without end, as other users do, until it is told to stop. */
function searchOn(engine: SearchEngine, workspaceIds: string[]): { stop: () => Promise<number> } {
  const stopping = new AbortController();
  let count = 0;
  const clients = workspaceIds.map(async (workspaceId) => {
    while (!stopping.signal.aborted) {
      await byText(engine, workspaceId, 'harbour red');
      await byVector(engine, workspaceId, draw());
      count += 2;
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(clients);
      return count;
    },
  };
}

test.each([{ backend: 'sqlite', others: 0 } as const, ...searchBackends.map((backend) => ({ backend, others: 3 }))])(
  '$backend: what is stored, labelled or deleted counts for the very next search, beside $others others',
  async ({ backend, others }) => {
    await using t = await setUpSearch(backend);
    // A row for each chunk takes its time there, and nothing is built from them.
    const [count, rounds] = backend === 'postgres' ? [200, 6] : [2500, 20];
    const { db } = t;
    const mine = await t.addWorkspace('Mine');
    const theirs = await t.addWorkspace('Theirs');
    for (const id of [mine, theirs]) {
      await seedChunks(db, id, embedder.id, { count, perItem: 5 }, () => ({
        vector: draw(),
        text: random.pick(['harbour', 'red car', 'harbour red']),
      }));
    }
    const creator = (await createLabel(db, 'creators', mine, { name: 'Ana' }))?.id ?? '';
    const engine = t.startEngine();
    const background = searchOn(engine, [mine, theirs, mine].slice(0, others));
    for (let round = 0; round < rounds; round++) {
      const word = newWord();
      const { number, id, vector } = await store(db, mine, word);
      // Several at once: some share an update that had begun before.
      const found = await Promise.all([
        byText(engine, mine, word),
        byVector(engine, mine, vector),
        byText(engine, mine, `"${word}"`),
      ]);
      for (const numbers of found) expect(numbers[0]).toBe(number);
      expect(await byText(engine, theirs, word)).not.toContain(number);
      if (round % 2 === 0) continue;
      expect(await byText(engine, mine, word, creator)).toEqual([]);
      await changeMedia(db, mine, id, { creator_id: creator });
      expect(await byText(engine, mine, word, creator)).toEqual([number]);
      expect((await byVector(engine, mine, vector, creator))[0]).toBe(number);
      await changeMedia(db, mine, id, { creator_id: null });
      expect(await byVector(engine, mine, vector, creator)).not.toContain(number);
      await db
        .updateTable('media_items')
        .set({ filename: `${word}x.mp4` })
        .where('id', '=', id)
        .execute();
      expect((await byText(engine, mine, `${word}x`))[0]).toBe(number);
      await deleteMedia(db, mine, id);
      expect(await byVector(engine, mine, vector)).not.toContain(number);
      expect(await byText(engine, mine, word)).not.toContain(number);
    }
    if (others > 0) expect(await background.stop()).toBeGreaterThan(20);
    expect(t.problems).toEqual([]);
  },
);

test.each(searchBackends)('%s: a vector that arrives later is found by the next search', async (backend) => {
  await using t = await setUpSearch(backend);
  const { db } = t;
  const mine = await t.addWorkspace('Mine');
  const engine = t.startEngine();
  const { number, vector } = await store(db, mine, 'lighthouse');
  await db.deleteFrom('chunk_vectors').execute();
  for (let i = 0; i < 20; i++) await store(db, mine, 'harbour');
  expect(await byVector(engine, mine, vector)).not.toContain(number);
  await db
    .insertInto('chunk_vectors')
    .values({
      workspace_id: mine,
      chunk_number: number,
      embedder_id: embedder.id,
      vector: dialectOf(db).vector(vector),
    })
    .execute();
  expect((await byVector(engine, mine, vector))[0]).toBe(number);
  expect((await byText(engine, mine, 'lighthouse'))[0]).toBe(number);
});

test.each(searchBackends)(
  '%s: what is deleted, or gets another label, after it was ranked is not shown, and the next ones take its place',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const { db } = t;
    const mine = await t.addWorkspace('Mine');
    const creator = (await createLabel(db, 'creators', mine, { name: 'Ana' }))?.id ?? '';
    const vector = draw();
    const items: { number: number; id: string }[] = [];
    for (let i = 0; i < 30; i++) items.push(await store(db, mine, `harbour ${i}`, vector));
    for (const { id } of items) await changeMedia(db, mine, id, { creator_id: creator });
    const engine = t.startEngine();
    /** A timer that does something just before hits are read. */
    const before = (action: () => Promise<unknown>) => {
      const timer = createStageTimer();
      const time: typeof timer.time = async (stage, work) => {
        if (stage === 'hydrate') await action();
        return timer.time(stage, work);
      };
      return { count: 10, dedupe: false, timer: { ...timer, time } };
    };
    const filter = { creator_id: creator };
    const gone = new Set<number>();
    for (const change of [
      deleteMedia,
      (db: Catalog, own: string, id: string) => changeMedia(db, own, id, { creator_id: null }),
    ]) {
      for (const isText of [true, false]) {
        const first = await byText(engine, mine, 'harbour', creator);
        const change3 = async () => {
          for (const number of first.slice(0, 3)) {
            gone.add(number);
            await change(db, mine, items.find((item) => item.number === number)?.id ?? '');
          }
        };
        const hits = isText
          ? (await engine.searchByText(mine, 'harbour', filter, before(change3))).hits
          : await engine.searchByVector(mine, { vector, embedder }, filter, before(change3));
        expect(numbersOf(hits)).toHaveLength(10);
        expect(numbersOf(hits).filter((number) => gone.has(number))).toEqual([]);
      }
    }
    expect(gone.size).toBeGreaterThanOrEqual(9);
  },
);

test('searches come back after the thread that builds indexes, or one that searches, has crashed', async () => {
  await using t = await setUpSearch();
  const { db } = t;
  const workers: Worker[] = [];
  const note = (worker: Worker) => workers.push(worker);
  process.on('worker', note);
  const mine = await t.addWorkspace('Mine');
  await seedChunks(db, mine, embedder.id, { count: 1000, perItem: 5 }, () => ({ vector: draw(), text: 'harbour' }));
  const engine = t.startEngine();
  for (let round = 0; round < 3; round++) {
    await byText(engine, mine, 'harbour');
    for (const worker of workers.splice(0)) {
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      // A request that is none.
      worker.postMessage(null);
      // Neither does a search that it interrupts wait for ever.
      const word = newWord();
      const { number } = await store(db, mine, word);
      await Promise.race([
        byText(engine, mine, word).catch(() => []),
        delay(20_000).then(() => expect.unreachable('still waits')),
      ]);
      await ended;
      expect((await byText(engine, mine, word))[0]).toBe(number);
      expect(await byText(engine, mine, 'harbour')).toHaveLength(10);
    }
  }
  process.off('worker', note);
});

test.each(searchBackends)(
  '%s: when another embedder becomes active searches use its vectors, back and forth, also while others are under way',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const { db } = t;
    const mine = await t.addWorkspace('Mine');
    const other = { ...embedder, id: 'other@1' };
    const items: { number: number; vector: Float32Array }[] = [];
    for (let i = 0; i < 60; i++) items.push(await store(db, mine, 'harbour'));
    // Under the other one each chunk has the vector of its mirror image in the list.
    for (const [i, { number }] of items.entries()) {
      const vector = dialectOf(db).vector((items[59 - i] as { vector: Float32Array }).vector);
      await db
        .insertInto('chunk_vectors')
        .values({ workspace_id: mine, chunk_number: number, embedder_id: other.id, vector })
        .execute();
    }
    let active = embedder;
    const activate = async (next: typeof embedder) => {
      active = next;
      await db.updateTable('workspaces').set({ embedder_id: next.id }).where('id', '=', mine).execute();
    };
    const engine = t.startEngine(() => active);
    const first = async (i: number, by: typeof embedder) => {
      const { vector } = items[i] as { vector: Float32Array };
      const found = await engine.searchByVector(mine, { vector, embedder: by }, {}, searchOptions(1));
      return found?.[0]?.chunk.number ?? null;
    };
    for (let round = 0; round < 6; round++) {
      await activate(embedder);
      const underWay = Array.from({ length: 5 }, (_, i) => first(i, embedder));
      expect(await first(round, embedder)).toBe(items[round]?.number);
      await activate(other);
      // One that began before the change is answered by the embedder that it began with, or not at all.
      for (const [i, search] of underWay.entries()) expect([items[i]?.number, null]).toContain(await search);
      expect(await first(round, embedder)).toBeNull();
      expect(await first(round, other)).toBe(items[59 - round]?.number);
    }
    expect(t.problems).toEqual([]);
  },
);

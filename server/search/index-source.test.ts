import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { labelColumns, listColumns, numberColumns } from '../../contract/fields.ts';
import { type BuiltIndex, createBuiltIndex } from '../../packages/search-engine/builder/built-index.ts';
import { catchUp } from '../../packages/search-engine/builder/follow-source.ts';
import { hasSlot } from '../../packages/search-engine/index/slot-set.ts';
import { createVectorMemory, openVectors } from '../../packages/search-engine/index/vector-memory.ts';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { buildTextSegment, runToEnd } from '../../packages/search-engine/text/build-segment.ts';
import { readTermPostings } from '../../packages/search-engine/text/term-postings.ts';
import {
  type IndexedTexts,
  readTerm,
  termCount,
  type TextSegment,
} from '../../packages/search-engine/text/text-segment.ts';
import { allSources, weightUnit } from '../../packages/search-engine/text/text-sources.ts';
import { changeMembers, createGroup, deleteGroup } from '../catalog/labels/item-groups.ts';
import { createLabel, deleteLabel } from '../catalog/labels/labels.ts';
import { readChunkVectors } from '../catalog/media/chunk-vectors.ts';
import { storeEmbeddings } from '../catalog/media/chunk-views.ts';
import { listChunkNumbers } from '../catalog/media/chunks.ts';
import { readItemsForIndex, readLastChange } from '../catalog/media/item-changes.ts';
import { changeMedia, deleteMedia, type MediaRow } from '../catalog/media/media-items.ts';
import { replaceIndexedMedia } from '../catalog/media/store-indexed-media.ts';
import { moveToTrash, restoreFromTrash } from '../catalog/media/trash.ts';
import { completeIndexing } from '../catalog/queue/indexing-jobs.ts';
import { claimJob } from '../catalog/queue/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import { indexed, openTestCatalog, reload } from '../testing/test-catalog.ts';
import { createIndexSource } from './index-source.ts';

/** Never aborted. */
const { signal } = new AbortController();

const dimensions = 4;
const key = (workspaceId: string) => ({ workspaceId, embedder: { id: 'test@1', dimensions } });

/** A vector as an index holds it: rounded. */
function asHeld(vector: Float32Array): number[] {
  const vectors = openVectors(createVectorMemory(dimensions), 0);
  vectors.reserve(1);
  vectors.write(0, vector);
  return [...vectors.read(0)];
}

/** What an index, or a catalog, says of a chunk. */
type Chunk = {
  number: number;
  item: string;
  span: number[];
  vector: number[] | null;
  labels: unknown[];
  /** Collections, tags, and the time of recording: the moment and the clock there. */
  fields: unknown[];
  terms: string[];
};

/** The terms of each slot, with what they count. */
function termsBySlot(segments: TextSegment[]): Map<number, string[]> {
  const terms = new Map<number, string[]>();
  for (const segment of segments) {
    for (let term = 0; term < termCount(segment); term++) {
      const { slots, weights } = readTermPostings(segment, term, allSources);
      for (const [i, slot] of slots.entries()) {
        const place = segment.firstSlot + slot;
        terms.set(place, [...(terms.get(place) ?? []), `${readTerm(segment, term)} ${weightUnit * (weights[i] ?? 0)}`]);
      }
    }
  }
  return terms;
}

const termsOf = (texts: IndexedTexts): string[] => termsBySlot([runToEnd(buildTextSegment(0, [texts]))]).get(0) ?? [];

/** The collections, tags and times of an item of an index. */
function readFields({ open: { lists, listPlaces, numbersOfItems }, labelValues }: BuiltIndex, item: number): unknown[] {
  const labels = listColumns.map((name) => {
    const place = listPlaces[name][item] as number;
    const count = place === 0 ? 0 : (lists[place] as number);
    return Array.from(lists.subarray(place + 1, place + 1 + count), (label) => labelValues[label] ?? '').toSorted();
  });
  return [...labels, ...numberColumns.map((name) => numbersOfItems[name][item])];
}

/** All live chunks of an index, as searches see them. */
function listIndexed(index: BuiltIndex): Chunk[] {
  const { open, slotCount, itemIds, labelValues } = index;
  const terms = termsBySlot(index.textSegments);
  const chunks: Chunk[] = [];
  for (let slot = 0; slot < slotCount; slot++) {
    if (hasSlot({ words: open.deleted }, slot)) continue;
    const item = open.items[slot] as number;
    chunks.push({
      number: open.numbers[slot] as number,
      item: itemIds[item] ?? 'deleted',
      span: [...open.times.subarray(2 * slot, 2 * slot + 2)],
      vector: open.embedded[slot] === 1 ? [...open.vectors.read(slot)] : null,
      labels: labelColumns.map((name) => labelValues[open.labels[name][item] as number]),
      fields: readFields(index, item),
      terms: terms.get(slot) ?? [],
    });
    const [first = 0, end = 0] = open.ranges.subarray(2 * item, 2 * item + 2);
    expect(slot).toBeGreaterThanOrEqual(first);
    expect(slot).toBeLessThan(end);
  }
  return chunks.sort((a, b) => a.number - b.number);
}

async function listStored(db: Catalog, workspaceId: string): Promise<Chunk[]> {
  const ids = (await db.selectFrom('media_items').select('id').execute()).map(({ id }) => id);
  const chunks: Chunk[] = [];
  for (const item of await readItemsForIndex(db, workspaceId, ids)) {
    const vectors = await readChunkVectors(
      db,
      workspaceId,
      'test@1',
      item.chunks.map(({ number }) => number),
    );
    for (const { number, start_time, end_time, texts } of item.chunks) {
      const vector = vectors.get(number);
      chunks.push({
        number,
        item: item.id,
        span: [start_time, end_time],
        vector: vector ? asHeld(vector) : null,
        labels: labelColumns.map((name) => item[name] ?? ''),
        fields: [
          ...listColumns.map((name) => item[name].toSorted()),
          ...numberColumns.map((name) => item[name] ?? Number.NaN),
        ],
        terms: termsOf({ texts, filename: item.filename, tags: item.tags }),
      });
    }
  }
  return chunks.sort((a, b) => a.number - b.number);
}

async function listAllGroups(db: Catalog, workspaceId: string, kind: 'collections' | 'tags'): Promise<string[]> {
  const rows = await db.selectFrom(kind).select('id').where('workspace_id', '=', workspaceId).orderBy('id').execute();
  return rows.map(({ id }) => id);
}

type Action = (row: MediaRow) => Promise<unknown>;

/** Whatever can happen to the items of a workspace, at random. */
async function createActions(t: Awaited<ReturnType<typeof openTestCatalog>>, random: ReturnType<typeof createRandom>) {
  const { db, workspaceId } = t;
  const labels = [
    await createLabel(db, 'creators', workspaceId, { name: 'Ana' }),
    await createLabel(db, 'creators', workspaceId, { name: 'Ben' }),
  ];
  for (const kind of ['collections', 'tags'] as const) {
    for (const name of ['Sea', 'Snow', 'Sun']) await createGroup(db, kind, workspaceId, name);
  }
  const texts = () =>
    Array.from({ length: random.below(4) }, () => random.pick([null, 'harbour', 'red car', '東京 tower']));
  const draw = (texts: (string | null)[]) => {
    const media = indexed(texts);
    for (const chunk of media.chunks) {
      // Some vectors arrive later.
      chunk.embeddings =
        random.next() < 0.3 ? [] : [{ embedderId: 'test@1', vector: drawVector(random, dimensions), views: [] }];
    }
    return media;
  };
  const set = (columns: { filename?: string; tags?: string }) => (row: MediaRow) =>
    db.updateTable('media_items').set(columns).where('id', '=', row.id).execute();
  const actions: Action[] = [
    () => t.add(),
    () => t.add('IMG_2041.jpg'),
    async () => {
      const job = await claimJob(db, 'worker');
      if (job?.kind === 'index') await completeIndexing(db, job, draw(texts()));
    },
    async (row) => replaceIndexedMedia(db, await reload(db, row), draw(texts()), 7),
    (row) => changeMedia(db, workspaceId, row.id, { creator_id: random.pick([labels[0]?.id, labels[1]?.id, null]) }),
    async (row) => {
      const kind = random.pick(['collections', 'tags'] as const);
      const group = random.pick(await listAllGroups(db, workspaceId, kind));
      await changeMembers(db, kind, workspaceId, group, { [random.pick(['add', 'remove'] as const)]: [row.id] });
    },
    async () => {
      const tags = await listAllGroups(db, workspaceId, 'tags');
      if (tags.length > 1 && random.next() < 0.2) await deleteGroup(db, 'tags', workspaceId, random.pick(tags));
    },
    (row) =>
      db
        .updateTable('media_items')
        .set({
          taken_at: random.pick([null, '1969-07-20T20:17:40.250Z', '2026-07-14T23:12:08.000Z']),
          taken_zone: random.pick([null, '+02:00', '-07:30']),
        })
        .where('id', '=', row.id)
        .execute(),
    (row) => set({ filename: random.pick(['holidayParis.mov', 'RedCar_02.mp4']) })(row),
    (row) => set({ tags: random.pick(['', 'beach', 'snow mountain']) })(row),
    (row) => {
      const text = random.pick(['walrus', null]);
      return text === null
        ? db.deleteFrom('text_segments').where('media_id', '=', row.id).where('start_time', '=', 0).execute()
        : db.updateTable('text_segments').set({ text }).where('media_id', '=', row.id).execute();
    },
    (row) => db.deleteFrom('chunks').where('media_id', '=', row.id).where('position', '=', 1).execute(),
    async (row) => {
      for (const number of await listChunkNumbers(db, workspaceId, row.id)) {
        const embedding = { vector: drawVector(random, dimensions), views: [] };
        const stored = { ...embedding, chunkNumber: number, embedderId: 'test@1' };
        if (random.next() < 0.7) await storeEmbeddings(db, workspaceId, [stored]);
      }
    },
    (row) => moveToTrash(db, workspaceId, [row.id]),
    (row) => restoreFromTrash(db, workspaceId, [row.id]),
    (row) => deleteMedia(db, workspaceId, row.id),
    async () => {
      if (random.next() < 0.1) await deleteLabel(db, 'creators', workspaceId, labels[0]?.id ?? '');
    },
  ];
  return actions;
}

test.each([1, 2, 3])(
  'an index that follows holds what the catalog holds, whatever happens to it (%d)',
  async (seed) => {
    await using t = await openTestCatalog();
    const { db, workspaceId } = t;
    const random = createRandom(seed);
    const actions = await createActions(t, random);
    const index = createBuiltIndex(key(workspaceId));
    for (let step = 0; step < 250; step++) {
      const rows = await db.selectFrom('media_items').selectAll().orderBy('id').execute();
      await random.pick(actions)(random.pick(rows.length > 0 ? rows : [await t.add()]));
      // Sometimes several changes are followed at once.
      if (random.next() < 0.4) continue;
      await catchUp(createIndexSource(db), index, signal);
      expect(index.change).toBe(await readLastChange(db, workspaceId));
      const stored = await listStored(db, workspaceId);
      expect(listIndexed(index), `step ${step}`).toEqual(stored);
      expect(index.slotCount - index.deletedCount).toBe(stored.length);
    }
    expect(index.deletedCount).toBeGreaterThan(20);
    // Whoever begins now holds the same.
    const late = createBuiltIndex(key(workspaceId));
    await catchUp(createIndexSource(db), late, signal);
    await catchUp(createIndexSource(db), index, signal);
    expect(listIndexed(late)).toEqual(listIndexed(index));
    expect(late.deletedCount).toBe(0);
  },
);

test('what was followed is not followed again, and the same change twice gives the same', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  for (let i = 0; i < 120; i++) {
    await t.add(`clip-${i}.mp4`);
    const job = await claimJob(db, 'worker');
    if (job?.kind === 'index') await completeIndexing(db, job, indexed(['a', null]));
  }
  const index = createBuiltIndex(key(workspaceId));
  await catchUp(createIndexSource(db), index, signal);
  const before = listIndexed(index);
  expect(before).toHaveLength(240);
  const { slotCount, unsaved, textSegments } = index;
  // More items than are read at once; all of them changed, but not in what is searched.
  await sql`update item_changes set sequence = sequence + 100000`.execute(db);
  for (const change of [index.change, 0]) {
    index.change = change;
    await catchUp(createIndexSource(db), index, signal);
    expect(index).toMatchObject({ slotCount, unsaved, deletedCount: 0, textSegments });
    expect(listIndexed(index)).toEqual(before);
  }
});

test('an index knows nothing of another workspace, or of vectors by another embedder', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  await t.add();
  const job = await claimJob(db, 'worker');
  if (job?.kind === 'index') await completeIndexing(db, job, indexed(['a']));
  const elsewhere = createBuiltIndex(key('elsewhere'));
  await catchUp(createIndexSource(db), elsewhere, signal);
  expect(elsewhere).toMatchObject({ slotCount: 0, change: 0, labelValues: [''] });
  const other = createBuiltIndex({ workspaceId, embedder: { id: 'other@1', dimensions } });
  await catchUp(createIndexSource(db), other, signal);
  expect(listIndexed(other)).toMatchObject([{ vector: null, terms: expect.arrayContaining(['a 1']) as unknown }]);
});

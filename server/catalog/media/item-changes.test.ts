import type { ItemForIndex } from '@media-search/search-engine/builder/index-source';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { type Backend, backends } from '../../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { changeMembers, createGroup } from '../labels/item-groups.ts';
import { createLabel, deleteLabel } from '../labels/labels.ts';
import { completeIndexing, failIndexing, reportProgress } from '../queue/indexing-jobs.ts';
import { claimJob, releaseAllJobs, renewLease } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { readChunkVectors } from './chunk-vectors.ts';
import { storeEmbeddings } from './chunk-views.ts';
import { findChunks, findChunksWithTexts, listChunkNumbers } from './chunks.ts';
import { countChangesAfter, listChangesAfter, readItemsForIndex, readLastChange } from './item-changes.ts';
import { changeMedia, deleteMedia, type MediaRow, retryMedia } from './media-items.ts';
import { recordOriginalCheck } from './original-checks.ts';
import { replaceIndexedMedia } from './store-indexed-media.ts';

/** A catalog with a complete item of three chunks, another item, and what changes between two moments. */
async function setUp(backend: Backend) {
  const t = await openTestCatalog(backend);
  const { db, workspaceId } = t;
  const media = await t.add();
  const job = await claim(db, 'worker');
  await completeIndexing(db, job, indexed(['one', null, 'three']));
  const other = await t.add('other.mp4');
  return {
    ...t,
    media,
    other,
    /** The items that an action changes, in order. */
    async changedBy(action: (db: Catalog) => Promise<unknown>): Promise<string[]> {
      const before = await readLastChange(db, workspaceId);
      await action(db);
      const changes = await listChangesAfter(db, workspaceId, before, 100);
      expect(await readLastChange(db, workspaceId)).toBe(changes.at(-1)?.sequence ?? before);
      const { rows } =
        await sql`select 1 from item_changes group by workspace_id, media_id having count(*) > 1`.execute(db);
      expect(rows).toEqual([]);
      return changes.map(({ media_id }) => media_id);
    },
  };
}

const numbersOf = async (db: Catalog): Promise<number[]> =>
  (await db.selectFrom('chunks').select('number').orderBy('number').execute()).map(({ number }) => number);

/** Items with their chunks, and those of these that have a vector of `new@1`, by identifier. */
async function readAll(db: Catalog, workspaceId: string, ids: string[]) {
  const items = await readItemsForIndex(db, workspaceId, ids);
  const withVectors = new Map<string, ItemForIndex & { embedded: number[] }>();
  for (const item of items) {
    const numbers = item.chunks.map(({ number }) => number);
    withVectors.set(item.id, {
      ...item,
      embedded: [...(await readChunkVectors(db, workspaceId, 'new@1', numbers)).keys()],
    });
  }
  return withVectors;
}

test('a statement that replaces or ignores leaves one row with a new sequence', async () => {
  await using t = await setUp('sqlite');
  const { db, media } = t;
  const [number = 0] = await numbersOf(db);
  for (const clause of ['replace', 'ignore']) {
    for (const embedder of ['a@1', 'b@1']) {
      expect(
        await t.changedBy(() =>
          sql`insert or ${sql.raw(clause)} into chunk_vectors (workspace_id, chunk_number, embedder_id, vector)
            values (${t.workspaceId}, ${number}, ${clause + embedder}, x'00')`.execute(db),
        ),
      ).toEqual([media.id]);
    }
    expect(
      await t.changedBy(() =>
        sql`update or ${sql.raw(clause)} media_items set filename = ${clause} where id = ${media.id}`.execute(db),
      ),
    ).toEqual([media.id]);
  }
});

test.each(backends)(
  'the changes of several workspaces after a sequence of each are counted by one statement: %s',
  async (backend) => {
    await using t = await setUp(backend);
    const { id: second } = await createWorkspace(t.db, createSecrets(new Uint8Array(32)), {
      workspace: 'B',
      owner: 'B',
    });
    const last = await readLastChange(t.db, t.workspaceId);
    const count = (...positions: [string, number][]) => countChangesAfter(t.db, new Map(positions));
    expect(await count()).toBe(0);
    expect(await count([t.workspaceId, 0], [second, 0])).toBe(2);
    expect(await count([t.workspaceId, last], [second, 0])).toBe(0);
    await changeMedia(t.db, t.workspaceId, t.other.id, { filename: 'again.mp4' });
    expect(await count([second, 0], [t.workspaceId, last])).toBe(1);
  },
);

describe.each(backends)('on %s', (backend) => {
  test('a workspace without items has no changes, and those of another are not among them', async () => {
    await using t = await setUp(backend);
    expect(await readLastChange(t.db, 'elsewhere')).toBe(0);
    expect(await listChangesAfter(t.db, 'elsewhere', 0, 100)).toEqual([]);
    expect((await listChangesAfter(t.db, t.workspaceId, 0, 100)).map(({ media_id }) => media_id)).toEqual([
      t.media.id,
      t.other.id,
    ]);
    const [first] = await listChangesAfter(t.db, t.workspaceId, 0, 1);
    expect(first?.media_id).toBe(t.media.id);
    expect(await listChangesAfter(t.db, t.workspaceId, first?.sequence ?? 0, 1)).toMatchObject([
      { media_id: t.other.id },
    ]);
  });

  test('each step of an item is one change, and progress is none', async () => {
    await using t = await setUp(backend);
    const { db, other } = t;
    let job = await claim(db, 'worker');
    expect(job.id).toBe(other.id);
    expect(await t.changedBy(() => reportProgress(db, job, 'analysing', 0.5))).toEqual([]);
    expect(await t.changedBy(() => renewLease(db, job))).toEqual([]);
    expect(await t.changedBy(async () => recordOriginalCheck(db, await reload(db, other), null))).toEqual([]);
    expect(await t.changedBy(() => failIndexing(db, job, { code: 'x', message: 'x' }))).toEqual([other.id]);
    expect(await t.changedBy(() => retryMedia(db, t.workspaceId, other.id, []))).toEqual([other.id]);
    await claim(db, 'worker');
    expect(await t.changedBy(() => releaseAllJobs(db, 'stopped'))).toEqual([other.id]);
    job = await claim(db, 'worker');
    expect(await t.changedBy(() => completeIndexing(db, job, indexed(['x', 'y'])))).toEqual([other.id]);
    expect(await t.changedBy(() => t.add('third.mp4'))).toHaveLength(1);
  });

  test('labels change the items that have them, and only when they are others', async () => {
    await using t = await setUp(backend);
    const { db, media, workspaceId } = t;
    const creator = await createLabel(db, 'creators', workspaceId, { name: 'Ana' });
    const assign = () => changeMedia(db, workspaceId, media.id, { creator_id: creator?.id });
    expect(await t.changedBy(assign)).toEqual([media.id]);
    expect(await t.changedBy(assign)).toEqual([]);
    expect(await t.changedBy(() => deleteLabel(db, 'creators', workspaceId, creator?.id ?? ''))).toEqual([media.id]);
  });

  test('every column that searches use is a change, from null and to null too; the other columns are none', async () => {
    await using t = await setUp(backend);
    const { db, media } = t;
    const used = new Set(
      (
        'status filename type creator_id category_id taken_at taken_zone rating review camera lens ' +
        'codec frame_rate sound place folder latitude longitude tags indexed_at trashed_at'
      ).split(' '),
    );
    const row: Record<string, unknown> = await reload(db, media);
    for (const column of Object.keys(row)) {
      // The clock where it was recorded follows from the time and the zone.
      if (['workspace_id', 'id', 'taken_local'].includes(column)) continue;
      // A text, an integer and a real number.
      const set = (value: string | null) => (catalog: Catalog) =>
        sql`update media_items set ${sql.ref(column)} = ${value} where id = ${media.id}`.execute(catalog);
      const expected = used.has(column) ? [media.id] : [];
      expect(await t.changedBy(set('9')), column).toEqual(expected);
      expect(await t.changedBy(set('9')), column).toEqual([]);
      if (/_id$|_at$/.test(column) && !['created_at', 'updated_at'].includes(column)) {
        expect(await t.changedBy(set(null)), column).toEqual(expected);
      }
    }
  });

  test('chunks and vectors change their item, whoever writes them', async () => {
    await using t = await setUp(backend);
    const { db, media, workspaceId } = t;
    const [number = 0, second = 0] = await numbersOf(db);
    const embedding = { vector: new Float32Array(4), views: [] };
    const embed = () => storeEmbeddings(db, workspaceId, [{ ...embedding, chunkNumber: number, embedderId: 'new@1' }]);
    expect(await t.changedBy(embed)).toEqual([media.id]);
    // It exists already, so nothing is stored.
    expect(await t.changedBy(embed)).toEqual([]);
    const removeVectors = () => db.deleteFrom('chunk_vectors').where('embedder_id', '=', 'new@1').execute();
    expect(await t.changedBy(removeVectors)).toEqual([media.id]);
    const setEnd = () => db.updateTable('chunks').set({ end_time: 0.5 }).where('number', '=', number).execute();
    expect(await t.changedBy(setEnd)).toEqual([media.id]);
    expect(await t.changedBy(() => db.deleteFrom('chunks').where('number', '=', second).execute())).toEqual([media.id]);
    const addChunk = () =>
      sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file)
      values (${workspaceId}, 'more', ${media.id}, 9, 9, 10, 'chunk.webp')`.execute(db);
    expect(await t.changedBy(addChunk)).toEqual([media.id]);
    const again = async () => replaceIndexedMedia(db, await reload(db, media), indexed(['again']), 99);
    expect(await t.changedBy(again)).toEqual([media.id]);
  });

  test('what is rolled back is no change', async () => {
    await using t = await setUp(backend);
    const deleteAndFail = (db: Catalog) =>
      db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('media_items').where('id', '=', t.media.id).execute();
        throw new Error('full disk');
      });
    expect(await t.changedBy((db) => expect(deleteAndFail(db)).rejects.toThrow('full disk'))).toEqual([]);
  });

  test('a deleted item is one last change, and is not read any more', async () => {
    await using t = await setUp(backend);
    const { db, media, other, workspaceId } = t;
    expect(await t.changedBy(() => deleteMedia(db, workspaceId, media.id))).toEqual([media.id]);
    expect(await readItemsForIndex(db, workspaceId, [media.id, other.id])).toMatchObject([
      { id: other.id, chunks: [] },
    ]);
  });

  test('with a workspace the changes of its items are deleted', async () => {
    await using t = await setUp(backend);
    await t.db.deleteFrom('workspaces').where('id', '=', t.workspaceId).execute();
    expect(await t.db.selectFrom('item_changes').selectAll().execute()).toEqual([]);
    expect(await t.db.selectFrom('chunks').selectAll().execute()).toEqual([]);
  });

  test('items are read with their chunks, labels and texts, in their own workspace only', async () => {
    await using t = await setUp(backend);
    const { db, media, other, workspaceId } = t;
    const taken = { taken_at: '2026-07-14T23:30:00.000Z', taken_zone: '+02:00' };
    await db
      .updateTable('media_items')
      .set({ category_id: 'c', ...taken })
      .where('id', '=', media.id)
      .execute();
    const tag = (await createGroup(db, 'tags', workspaceId, 'Sea')) as { id: string };
    await changeMembers(db, 'tags', workspaceId, tag.id, { add: [media.id] });
    // Positions in the other order than numbers, as no writer of today stores them.
    await sql`update chunks set position = position + 10`.execute(db);
    await sql`update chunks set position = 12 - position`.execute(db);
    const numbers = await numbersOf(db);
    const items = await readItemsForIndex(db, workspaceId, ['gone', media.id, other.id]);
    expect(new Map(items.map((item) => [item.id, item]))).toEqual(
      new Map([
        [
          media.id,
          {
            id: media.id,
            creator_id: null,
            category_id: 'c',
            type: 'video',
            taken_at: Date.parse(taken.taken_at),
            taken_local: Date.parse('2026-07-15T01:30:00.000Z'),
            rating: 0,
            review: 'none',
            duration: 3,
            collection_id: [],
            tag_id: [tag.id],
            camera: 'Apple iPhone 15',
            lens: null,
            codec: null,
            frame_rate: null,
            sound: 'no',
            place: null,
            source_id: null,
            folder: null,
            latitude: 53.5459,
            longitude: 9.9695,
            orientation: 'landscape',
            resolution: 'sd',
            filename: 'RedCar_02.mp4',
            tags: 'Holiday film',
            passages: [],
            chunks: [
              { number: numbers[0], start_time: 0, end_time: 1, texts: [{ source: 'subtitle', text: 'one' }] },
              { number: numbers[1], start_time: 1, end_time: 2, texts: [] },
              { number: numbers[2], start_time: 2, end_time: 3, texts: [{ source: 'subtitle', text: 'three' }] },
            ],
          },
        ],
        [
          other.id,
          {
            id: other.id,
            creator_id: null,
            category_id: null,
            type: 'video',
            taken_at: null,
            taken_local: null,
            rating: 0,
            review: 'none',
            duration: null,
            collection_id: [],
            tag_id: [],
            camera: null,
            lens: null,
            codec: null,
            frame_rate: null,
            sound: null,
            place: null,
            source_id: null,
            folder: null,
            latitude: null,
            longitude: null,
            orientation: null,
            resolution: null,
            filename: 'other.mp4',
            tags: '',
            passages: [],
            chunks: [],
          },
        ],
      ]),
    );
    expect(await readItemsForIndex(db, 'elsewhere', [media.id])).toEqual([]);
    expect(await readItemsForIndex(db, workspaceId, [])).toEqual([]);

    const { found } = await findChunksWithTexts(db, workspaceId, [...numbers.slice(1), 999], {});
    expect(new Map(found.map(({ chunk, texts }) => [chunk.number, texts]))).toMatchObject(
      new Map([
        [numbers[1], { segments: [], filename: 'RedCar_02.mp4', tags: 'Holiday film' }],
        [numbers[2], { segments: [{ text: 'three' }], filename: 'RedCar_02.mp4', tags: 'Holiday film' }],
      ]),
    );
    // The same columns as of chunks that are found without their texts.
    const byNumber = (a: { number: number }, b: { number: number }) => a.number - b.number;
    expect(found.map(({ chunk }) => chunk).toSorted(byNumber)).toEqual(
      (await findChunks(db, workspaceId, numbers.slice(1))).toSorted(byNumber),
    );
    expect((await findChunksWithTexts(db, 'elsewhere', numbers, {})).found).toEqual([]);
  });

  test('whoever follows the changes has the same items, chunks and vectors as whoever reads all', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    let state = 15;
    // A linear congruential generator (Park & Miller).
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const pick = <Value>(values: Value[]): Value => values[Math.floor(random() * values.length)] as Value;
    const label = await createLabel(db, 'creators', workspaceId, { name: 'Ana' });
    const vector = { vector: new Float32Array(4), views: [] };
    const actions: ((row: MediaRow) => Promise<unknown>)[] = [
      () => t.add(),
      async () => {
        const job = await claimJob(db, 'worker');
        if (job?.kind === 'index')
          await completeIndexing(db, job, indexed(pick([[null], ['a', 'b'], ['c', null, 'd']])));
      },
      (row) => replaceIndexedMedia(db, row, indexed([pick(['e', 'f', null]), 'g']), 7),
      (row) => changeMedia(db, workspaceId, row.id, { creator_id: pick([label?.id, null]) }),
      (row) => db.deleteFrom('chunks').where('media_id', '=', row.id).where('position', '=', 1).execute(),
      (row) =>
        db
          .updateTable('text_segments')
          .set({ text: pick(['h', 'i']) })
          .where('media_id', '=', row.id)
          .execute(),
      (row) => db.deleteFrom('text_segments').where('media_id', '=', row.id).where('text', '=', 'c').execute(),
      async (row) => {
        const numbers = await listChunkNumbers(db, workspaceId, row.id);
        const embeddings = numbers.map((chunkNumber) => ({ ...vector, chunkNumber, embedderId: 'new@1' }));
        await storeEmbeddings(db, workspaceId, embeddings);
      },
      (row) =>
        sql`delete from chunk_vectors where chunk_number in (select number from chunks where media_id = ${row.id})`.execute(
          db,
        ),
      (row) => deleteMedia(db, workspaceId, row.id),
    ];
    let followed = new Map<string, unknown>();
    let position = 0;
    const steps = backend === 'sqlite' ? 300 : 100;
    for (let step = 0; step < steps; step++) {
      const rows = await db.selectFrom('media_items').selectAll().orderBy('id').execute();
      await pick(actions)(pick(rows.length > 0 ? rows : [await t.add()]));
      // Sometimes several changes are followed at once.
      if (random() < 0.3) continue;
      const changes = await listChangesAfter(db, workspaceId, position, 1000);
      position = changes.at(-1)?.sequence ?? position;
      const changed = changes.map(({ media_id }) => media_id);
      for (const id of changed) followed.delete(id);
      followed = new Map([...followed, ...(await readAll(db, workspaceId, changed))]);
      const all = await db.selectFrom('media_items').select('id').execute();
      expect(followed, `step ${step}`).toEqual(
        await readAll(
          db,
          workspaceId,
          all.map(({ id }) => id),
        ),
      );
    }
    expect(position).toBeGreaterThan(steps / 3);
  });
});

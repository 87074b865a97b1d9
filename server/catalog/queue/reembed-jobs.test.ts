import type { EmbedderReference } from '@media-search/models/embedder';
import { descriptorsReference } from '@media-search/models/load-embedder';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { advanceClock, claim, elapse, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { readReembedProgress, setTargetEmbedder, switchEmbedderWhenReady } from '../embedders.ts';
import type { MediaRow } from '../media/media-items.ts';
import { replaceIndexedMedia } from '../media/store-indexed-media.ts';
import type { Catalog } from '../schema.ts';
import { completeIndexing } from './indexing-jobs.ts';
import { claimJob, endJob, type Job, nextFencingToken, releaseJob, renewLease } from './job-queue.ts';
import { completeReembedding, listReembedChunks } from './reembed-jobs.ts';

describe.each(backends)('over %s', (backend) => {
  afterEach(() => void vi.useRealTimers());

  const other: EmbedderReference = { ...descriptorsReference, id: 'other@1' };
  const embeddings = [{ vector: new Float32Array([0, 1, 0, 0]), views: [] }];
  const waiting = (db: Catalog) => db.selectFrom('jobs').where('kind', '=', 'reembed').select('media_id').execute();
  const storedEmbedders = async (db: Catalog, media: MediaRow) => {
    const rows = await db
      .selectFrom('chunk_vectors')
      .innerJoin('chunks', 'chunks.number', 'chunk_vectors.chunk_number')
      .where('chunks.media_id', '=', media.id)
      .select('embedder_id')
      .execute();
    return rows.map((row) => row.embedder_id).toSorted();
  };

  async function complete(db: Catalog, job: Job<'reembed'>): Promise<boolean> {
    return completeReembedding(db, job, await listReembedChunks(db, job), embeddings);
  }

  /** A catalog with an item that has vectors of `test@1`, the target. */
  async function openEmbeddedCatalog() {
    const t = await openTestCatalog(backend);
    await setTargetEmbedder(t.db, { ...descriptorsReference, id: 'test@1' });
    const media = await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['one']));
    return { ...t, media };
  }

  test('a recording, which has no vectors, is never embedded', async () => {
    await using t = await openEmbeddedCatalog();
    await t.add('memo.mp3');
    const { chunks, ...rest } = indexed(['two']);
    const recording = {
      ...rest,
      type: 'audio' as const,
      chunks: chunks.map((chunk) => ({ ...chunk, embeddings: [] })),
    };
    await completeIndexing(t.db, await claim(t.db, 'a'), recording);
    expect(await waiting(t.db)).toEqual([]);
    await setTargetEmbedder(t.db, other);
    expect(await waiting(t.db)).toEqual([{ media_id: t.media.id }]);
  });

  test('re-embedding is fenced like indexing', async () => {
    await using t = await openEmbeddedCatalog();
    await setTargetEmbedder(t.db, other);
    const first = await claim(t.db, 'a', 'reembed');
    await elapse(t.db, 31);
    const second = await claim(t.db, 'a', 'reembed');
    expect(await renewLease(t.db, first)).toBe(false);
    expect(await complete(t.db, first)).toBe(false);
    expect(await endJob(t.db, first)).toBe(false);
    expect(await releaseJob(t.db, first, 'broke off')).toBe(false);
    expect(await waiting(t.db)).toHaveLength(1);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['test@1']);
    expect(await renewLease(t.db, second)).toBe(true);

    // Another target creates the job again; a worker of the previous job stores nothing.
    await setTargetEmbedder(t.db, { ...other, id: 'third@1' });
    expect(await complete(t.db, second)).toBe(false);
    const third = await claim(t.db, 'b', 'reembed');
    expect(await complete(t.db, third)).toBe(true);
    expect(await waiting(t.db)).toEqual([]);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['test@1', 'third@1']);
  });

  test('re-embedding is given up after three attempts; the item stays complete', async () => {
    await using t = await openEmbeddedCatalog();
    await setTargetEmbedder(t.db, other);
    for (const reason of ['broke off', 'stopped', 'broke off', 'broke off'] as const) {
      expect(await waiting(t.db)).toHaveLength(1);
      await releaseJob(t.db, await claim(t.db, 'a', 'reembed'), reason);
    }
    expect(await waiting(t.db)).toEqual([]);
    expect(await reload(t.db, t.media)).toMatchObject({ status: 'complete', error_code: null });
  });

  test('re-embedding waits for indexing: new items come first, then the oldest item', async () => {
    await using t = await openEmbeddedCatalog();
    const second = await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['two']));
    await setTargetEmbedder(t.db, other);
    expect(await readReembedProgress(t.db, t.workspaceId)).toEqual({ done: 0, total: 2 });
    advanceClock(5);
    const later = await t.add();
    expect((await claim(t.db, 'a', 'index')).id).toBe(later.id);
    expect((await claim(t.db, 'a', 'reembed')).id).toBe(t.media.id);
    expect((await claim(t.db, 'a', 'reembed')).id).toBe(second.id);
    expect(await claimJob(t.db, 'a')).toBeUndefined();
  });

  test('an item that a worker was indexing when the target changed is re-embedded', async () => {
    await using t = await openEmbeddedCatalog();
    const media = await t.add();
    const job = await claim(t.db, 'a');
    await setTargetEmbedder(t.db, other);
    await completeIndexing(t.db, job, indexed(['two']));
    expect((await waiting(t.db)).map((row) => row.media_id)).toEqual([t.media.id, media.id]);
    for (const _ of [1, 2]) await complete(t.db, await claim(t.db, 'a', 'reembed'));
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(true);
    expect(await t.db.selectFrom('chunk_vectors').select('embedder_id').execute()).toEqual([
      { embedder_id: 'other@1' },
      { embedder_id: 'other@1' },
    ]);
  });

  test('an item that a worker completes after the workspace switched embedders is re-embedded; then its old vectors are deleted', async () => {
    await using t = await openEmbeddedCatalog();
    const media = await t.add();
    const job = await claim(t.db, 'a');
    await setTargetEmbedder(t.db, other);
    await complete(t.db, await claim(t.db, 'b', 'reembed'));
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(true);
    await completeIndexing(t.db, job, indexed(['two']));
    expect(await storedEmbedders(t.db, media)).toEqual(['test@1']);
    expect((await waiting(t.db)).map((row) => row.media_id)).toEqual([media.id]);
    await complete(t.db, await claim(t.db, 'b', 'reembed'));
    expect(await storedEmbedders(t.db, media)).toEqual(['other@1']);
  });

  test('re-embedding stores vectors of the embedder in the job, also by a worker that was started for another', async () => {
    await using t = await openEmbeddedCatalog();
    await setTargetEmbedder(t.db, other);
    // A worker with the earlier target that has not been stopped yet.
    const job = await claim(t.db, 'a', 'reembed');
    expect(job.payload).toEqual({ embedder_id: 'other@1' });
    expect(await complete(t.db, job)).toBe(true);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['other@1', 'test@1']);
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(true);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['other@1']);
  });

  test('an item that was repaired with vectors of the earlier target is re-embedded', async () => {
    await using t = await openEmbeddedCatalog();
    const stale = await reload(t.db, t.media);
    await setTargetEmbedder(t.db, other);
    await complete(t.db, await claim(t.db, 'a', 'reembed'));
    // The repair began before the change and stores vectors of the earlier target.
    const repaired = indexed(['one', 'two']);
    expect(await replaceIndexedMedia(t.db, stale, repaired, await nextFencingToken(t.db))).toBe(true);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['test@1', 'test@1']);
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(false);
    const job = await claim(t.db, 'a', 'reembed');
    const chunks = await listReembedChunks(t.db, job);
    expect(await completeReembedding(t.db, job, chunks, [...embeddings, ...embeddings])).toBe(true);
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(true);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['other@1', 'other@1']);
  });

  test('a change of the embedder keeps the vectors of an item that could not be re-embedded', async () => {
    await using t = await openEmbeddedCatalog();
    const second = await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['two']));
    await setTargetEmbedder(t.db, other);
    await endJob(t.db, await claim(t.db, 'a', 'reembed'));
    await complete(t.db, await claim(t.db, 'a', 'reembed'));
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(true);
    expect(await storedEmbedders(t.db, t.media)).toEqual(['test@1']);
    expect(await storedEmbedders(t.db, second)).toEqual(['other@1']);

    // They answer searches again once the earlier embedder is the target, while the other item is re-embedded.
    await setTargetEmbedder(t.db, { ...descriptorsReference, id: 'test@1' });
    expect((await waiting(t.db)).map((row) => row.media_id)).toEqual([second.id]);
  });
});

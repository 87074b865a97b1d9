import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import { expect, test } from 'vitest';
import { StorageError } from '../assets/s3/storage-error.ts';
import { completeIndexing } from '../catalog/queue/indexing-jobs.ts';
import { enqueueJob } from '../catalog/queue/job-queue.ts';
import { addSource } from '../catalog/sources/sources.ts';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import { ApiError } from '../errors/api-error.ts';
import { originalGoneError, originalUnreadableError, sourceOfflineError } from '../sources/source-error.ts';
import { claim, indexed, openTestCatalog, reload } from '../testing/test-catalog.ts';
import { settleJob } from './settle-job.ts';

/** An item of a source, with a job that a worker holds. */
async function setUp(kind: ItemJobKind, isInSource = true) {
  const catalog = await openTestCatalog();
  const { db, workspaceId: workspace_id } = catalog;
  const place = { kind: 'folder', location: '/nas', managed: false } as const;
  const source = await addSource(db, workspace_id, { name: 'NAS', ...place, include: [], exclude: [] });
  if (typeof source === 'string') throw new Error(source);
  const item = await catalog.add();
  if (isInSource) {
    await db.updateTable('media_items').set({ source_id: source.id, source_path: 'a.mp4' }).execute();
    const file = { path: 'a.mp4', size: 1000, modified_ms: 1, identity: '1', seen: 1 };
    await db
      .insertInto('source_files')
      .values({ workspace_id, source_id: source.id, media_id: item.id, ...file })
      .execute();
  }
  if (kind !== 'index') {
    await db.deleteFrom('jobs').execute();
    await enqueueJob(db, item, kind, {});
  }
  const job = await claim(db, 'a', kind);
  const note = () => undefined;
  let answer = new Error('Nothing is to be read.');
  const assets = {
    withLocalCopy: () => Promise.reject(answer),
    removeRenditions: () => Promise.resolve(),
  };
  return {
    db,
    job,
    answerWith: (error: Error) => void (answer = error),
    settle: (error: unknown) =>
      settleJob(
        {
          db,
          assets: assets as never,
          log: { info: note, warn: note, error: note },
          stopping: new AbortController().signal,
          onRetry: note,
        },
        job,
        error,
      ),
    item: () => reload(db, item),
    hashes: () => db.selectFrom('source_files').select(['quick_hash', 'full_hash']).executeTakeFirst(),
    [Symbol.asyncDispose]: () => catalog[Symbol.asyncDispose](),
  };
}

test('work on a file that was renamed waits for the scan that finds it', async () => {
  await using waiting = await setUp('fingerprint');
  expect(await waiting.settle(originalGoneError('NAS'))).toBe('requeued');
  await using missed = await setUp('fingerprint');
  await missed.db.updateTable('source_files').set({ missing: 2 }).execute();
  expect(await missed.settle(originalGoneError('NAS'))).toBe('failed');
  await using forbidden = await setUp('fingerprint');
  const refusal = Object.assign(new Error('EACCES'), { code: 'EACCES' });
  expect(await forbidden.settle(originalUnreadableError('NAS', refusal))).toBe('failed');
  await using refused = await setUp('fingerprint');
  const denial = new StorageError('The key needs s3:GetObject.', 'HTTP 403');
  const answer = Object.assign(new ApiError('original_missing', 'It may not be read.'), { cause: denial });
  expect(await refused.settle(answer)).toBe('failed');
  // A scan that finds the file indexes the item again.
  await using index = await setUp('index');
  expect(await index.settle(originalGoneError('NAS'))).toBe('failed');
  expect(await index.item()).toMatchObject({ status: 'error', error_code: 'original_missing' });
});

test('what is said of the original when it is read once more counts as at first', async () => {
  const damaged = new UnreadableMediaError('unreadable_media', 'The file is damaged.');
  await using away = await setUp('index', false);
  away.answerWith(sourceOfflineError('NAS', 'It is away.'));
  expect(await away.settle(damaged)).toBe('requeued');
  expect(await away.item()).toMatchObject({ status: 'pending', error_code: null });
  await using gone = await setUp('index', false);
  gone.answerWith(new ApiError('original_missing', 'The original is gone.'));
  expect(await gone.settle(damaged)).toBe('failed');
  expect(await gone.item()).toMatchObject({ error_code: 'original_missing' });
});

test('what a file holds is stored by the attempt alone that stores the rest', async () => {
  await using t = await setUp('index');
  const content = { quick_hash: 'ends', full_hash: 'whole' };
  const stale = { ...t.job, token: t.job.token - 1, kind: 'index' } as const;
  expect(await completeIndexing(t.db, { ...stale, payload: {} }, indexed(['x']), [], false, content)).toBeNull();
  expect(await t.hashes()).toEqual({ quick_hash: null, full_hash: null });
  const held = { ...t.job, kind: 'index', payload: {} } as const;
  expect(await completeIndexing(t.db, held, indexed(['x']), [], false, content)).toBe('complete');
  expect(await t.hashes()).toEqual(content);
});

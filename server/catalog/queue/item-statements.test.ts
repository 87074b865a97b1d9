import { expect, test } from 'vitest';
import { countStatements } from '../../testing/count-statements.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { setTargetEmbedder, switchEmbedderWhenReady } from '../embedders.ts';
import { completeIndexing, reportProgress } from './indexing-jobs.ts';

/** Each statement is a round trip in PostgreSQL, and transactions that take the lock of a workspace wait for each other. */
test.each(backends)(
  'what a worker stores of an item takes few statements and one lock of its workspace: %s',
  async (backend) => {
    await using t = await openTestCatalog(backend);
    await setTargetEmbedder(t.db, { id: 'test@1', kind: 'descriptors', dimensions: 4 });
    const media = await t.add();
    const counted = countStatements(t.db);
    const job = await claim(counted.db, 'a');
    const claimed = counted.count();
    expect(claimed).toBeLessThanOrEqual(6);
    await reportProgress(counted.db, job, 'analysing', 0.2);
    await reportProgress(counted.db, job, 'analysing', 0.8);
    expect(counted.count() - claimed).toBe(4);
    expect(counted.countLocks()).toBe(0);
    await completeIndexing(counted.db, job, indexed(['one', 'two', 'three']), ['ocr', 'speech']);
    await switchEmbedderWhenReady(counted.db, t.workspaceId);
    expect(await reload(t.db, media)).toMatchObject({ status: 'complete', chunk_count: 3 });
    expect(counted.countLocks()).toBe(backend === 'sqlite' ? 0 : 1);
    // With its fingerprint and its stack; PostgreSQL's index of texts is written with it.
    expect(counted.count()).toBeLessThanOrEqual(backend === 'sqlite' ? 32 : 44);
  },
);

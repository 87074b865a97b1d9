import { expect, test } from 'vitest';
import { requestCopies } from '../../catalog/reuse/fingerprints.ts';
import { writeFingerprint } from '../../catalog/reuse/write-fingerprint.ts';
import { inWorkspace } from '../../catalog/transactions.ts';
import { queryEmbedderOf } from '../../testing/query-embedder.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import type { CopiesTask } from './compare-fingerprints.ts';
import { findCopies } from './find-copies.ts';

test('items that wait to be compared are left to that by jobs, not by a search', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  const vector = Float32Array.of(1, 0, 0, 0);
  const numbers = await seedChunks(db, workspaceId, 'test@1', { count: 3, perItem: 1 }, () => ({ vector }));
  const rows = await db.selectFrom('chunks').select(['number', 'media_id']).execute();
  const [own, other, waiting] = numbers.map((number) => rows.find((row) => row.number === number)!.media_id) as [
    string,
    string,
    string,
  ];
  await writeFingerprint(db, { workspace_id: workspaceId, id: waiting }, []);
  await inWorkspace(db, workspaceId, (transaction) => requestCopies(transaction, workspaceId, [waiting]));

  const asked: string[][] = [];
  const finding = {
    db,
    workspaceId,
    embedder: queryEmbedderOf('test@1', 4),
    mediaId: own,
    signal: new AbortController().signal,
    search: {
      findNearest: () => Promise.resolve([numbers.slice(1).map((number) => ({ number, similarity: 0.9 }))]),
    },
    queryPool: {
      run(_workspace: string, { others }: { kind: string } & Partial<CopiesTask>) {
        asked.push((others ?? []).map(({ mediaId }) => mediaId).toSorted());
        return Promise.resolve([]) as never;
      },
    },
  };
  const moments = [{ start: 0, end: 1, vector }];
  const footage = { fingerprint: new Uint8Array(), moments, duration: 1, width: 16, height: 9 };
  expect(await findCopies({ ...finding, leavesWaiting: true }, footage)).toEqual({ copies: [], left: [waiting] });
  expect(await findCopies(finding, footage)).toEqual({ copies: [], left: [] });
  expect(asked).toEqual([[other], [other, waiting].toSorted()]);
});

import type { Relation } from '@media-search/indexing/reuse/relate';
import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { claimJobOf, releaseJob } from '../queue/job-queue.ts';
import { inWorkspace } from '../transactions.ts';
import { listCopies, listWaiting, storeCopies } from './copies.ts';
import { requestCopies } from './fingerprints.ts';
import { writeFingerprint } from './write-fingerprint.ts';

const relation: Relation = { kind: 'same', spans: [], score: 0.9 };

async function setUp(backend: (typeof backends)[number]) {
  const t = await openTestCatalog(backend);
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await t.add()).id);
  for (const id of ids) await writeFingerprint(t.db, { workspace_id: t.workspaceId, id }, []);
  await t.db.updateTable('media_items').set({ status: 'complete' }).execute();
  return Object.assign(t, {
    ids,
    request: (some: string[]) => inWorkspace(t.db, t.workspaceId, (rows) => requestCopies(rows, t.workspaceId, some)),
    copiesOf: async (id: string) =>
      (await listCopies(t.db, t.workspaceId, id)).map(({ otherId }) => otherId).toSorted(),
    waiting: async () => (await listWaiting(t.db, t.workspaceId, ids)).toSorted(),
    async claim() {
      const job = await claimJobOf(t.db, 'a', 'copies');
      if (!job) throw new Error('No item waits.');
      return job;
    },
  });
}

describe.each(backends)('over %s', (backend) => {
  test('an item waits to be compared until somebody begins, and again when that broke off', async () => {
    await using t = await setUp(backend);
    expect(await t.waiting()).toEqual([]);
    await t.request(t.ids);
    expect(await t.waiting()).toEqual(t.ids.toSorted());
    const job = await t.claim();
    expect(await t.waiting()).toEqual(t.ids.filter((id) => id !== job.id).toSorted());
    await releaseJob(t.db, job, 'stopped');
    expect(await t.waiting()).toEqual(t.ids.toSorted());
  });

  test('what is known of pairs that an item was not compared in stays, the rest is replaced', async () => {
    await using t = await setUp(backend);
    // A pair begins with either of its items.
    const [two, one, three] = t.ids as [string, string, string];
    const found = [two, three].map((otherId) => ({ otherId, relation }));
    await t.request([one]);
    await storeCopies(t.db, await t.claim(), { copies: found, left: [] });
    expect(await t.copiesOf(one)).toEqual([two, three].toSorted());
    for (const left of [two, three]) {
      await t.request([one]);
      await storeCopies(t.db, await t.claim(), { copies: [], left: [left] });
      expect(await t.copiesOf(one)).toEqual([left]);
      await t.request([left]);
      await storeCopies(t.db, await t.claim(), { copies: [{ otherId: one, relation }], left: [] });
      expect(await t.copiesOf(one)).toEqual([left]);
      // As before, for the other one.
      await t.request([one]);
      await storeCopies(t.db, await t.claim(), { copies: found, left: [] });
    }
    await t.request([one]);
    await storeCopies(t.db, await t.claim(), { copies: [], left: [] });
    expect(await t.copiesOf(one)).toEqual([]);
  });

  test('what begins five items alike is left out, what five items show somewhere is not', async () => {
    await using t = await setUp(backend);
    for (let i = 0; i < 3; i++) t.ids.push((await t.add()).id);
    const [one, ...others] = t.ids as [string, ...string[]];
    await writeFingerprint(t.db, { workspace_id: t.workspaceId, id: one }, []);
    await t.db.updateTable('media_items').set({ duration: 60, status: 'complete' }).execute();
    const shared = (start: number, there: number): Relation['spans'][number] => ({
      a: { start, end: start + 5 },
      b: { start: there, end: there + 5 },
      speed: 1,
      mirrored: false,
      cropped: 0,
      score: 0.9,
    });
    const store = async (spans: (i: number) => Relation['spans'], among: string[]) => {
      await t.request([one]);
      const copies = among.map((otherId, i) => ({
        otherId,
        relation: { kind: 'overlaps' as const, spans: spans(i), score: 0.9 },
      }));
      await storeCopies(t.db, await t.claim(), { copies, left: [] });
    };
    await store(() => [shared(0, 0)], others);
    expect(await t.copiesOf(one)).toEqual([]);
    await store(() => [shared(55, 55)], others);
    expect(await t.copiesOf(one)).toEqual([]);
    await store(() => [shared(0, 0)], others.slice(2));
    expect(await t.copiesOf(one)).toEqual(others.slice(2).toSorted());
    await store((i) => [shared(20, 5 + 8 * i)], others);
    expect(await t.copiesOf(one)).toEqual(others.toSorted());
    // The intro alone is left out.
    await store(() => [shared(0, 0), shared(20, 30)], others);
    expect((await listCopies(t.db, t.workspaceId, one)).map(({ relation: { spans } }) => spans)).toEqual(
      others.map(() => [shared(20, 30)]),
    );
  });
});

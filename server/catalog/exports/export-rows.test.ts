import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import type { Catalog } from '../schema.ts';
import { addExport } from './export-jobs.ts';
import { expireExcess, findExport, setWanted, wantExport } from './export-rows.ts';

const hour = 3_600_000;
const limits = { maxProcessing: 4, maxKept: 50, keptMs: hour, wantedMs: 1000 };

const add = async (db: Catalog, workspace_id: string, id: string, status: 'ready' | 'processing') => {
  await addExport(db, { workspace_id, id, format: 'mp4', filename: 'a.mp4', request: '{}', status }, limits);
  return { workspace_id, id };
};

describe.each(backends)('on %s', (backend) => {
  test('the oldest files go where there are too many bytes, never the newest', async () => {
    await using t = await openTestCatalog(backend);
    const files = [
      ['old', 300, '2026-01-01'],
      ['middle', 500, '2026-01-02'],
      ['new', 900, '2026-01-03'],
    ] as const;
    for (const [id, size, created_at] of files) {
      await add(t.db, t.workspaceId, id, 'ready');
      await t.db.updateTable('exports').set({ size, created_at }).where('id', '=', id).execute();
    }
    const kept = async () => {
      const found = await Promise.all(files.map(([id]) => findExport(t.db, { workspace_id: t.workspaceId, id })));
      return found.flatMap((row) => row?.id ?? []);
    };
    for (const [bytes, left] of [
      [1700, ['old', 'middle', 'new']],
      [1500, ['middle', 'new']],
      [800, ['new']],
    ] as const) {
      await expireExcess(t.db, bytes);
      expect(await kept()).toEqual(left);
    }
  });

  test('what nothing waits for expires; what is asked for again in time does not', async () => {
    await using t = await openTestCatalog(backend);
    const [left, given, wanted] = await Promise.all(
      ['left', 'given', 'wanted'].map((id) => add(t.db, t.workspaceId, id, 'processing')),
    );
    if (!left || !given || !wanted) throw new Error('They were added.');
    for (const key of [left, given]) await setWanted(t.db, key, -1000);
    await wantExport(t.db, wanted, hour);
    // A download that waits asks for what was left a moment ago, a look at it does not.
    await wantExport(t.db, left, hour, 3000);
    await wantExport(t.db, given, hour);
    await expireExcess(t.db, 0);
    const found = await Promise.all([left, given, wanted].map((key) => findExport(t.db, key)));
    expect(found.map((row) => row?.id)).toEqual([undefined, 'given', 'wanted']);
  });
});

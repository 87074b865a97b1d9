import { expect, test } from 'vitest';
import { maxRunningChanges } from '../../../contract/media-changes.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { addChange } from '../changes/change-jobs.ts';
import { endChange, type ChangeRow, countRunning } from '../changes/change-rows.ts';
import { keepCopy } from './keep-copy.ts';

test.for(backends)(
  'what is about to go to the trash is not kept, nor taken for a copy that stays (%s)',
  async (backend) => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const [one, other, third] = [(await t.add()).id, (await t.add()).id, (await t.add()).id];
    const made = (await keepCopy(db, workspaceId, one, [other])) as ChangeRow[];
    expect(made.map(({ change }) => JSON.parse(change) as unknown)).toEqual([{ delete: true }]);
    expect(await keepCopy(db, workspaceId, other, [one])).toBeUndefined();
    expect(await keepCopy(db, workspaceId, third, [other])).toBeUndefined();
    // Of changes that ended the items themselves tell.
    await endChange(db, made[0] as ChangeRow, 'done');
    expect(await keepCopy(db, workspaceId, third, [other])).toHaveLength(1);
  },
);

test('where one of both changes is refused, neither is stored', async () => {
  await using t = await openTestCatalog();
  const { db, workspaceId } = t;
  const [one, other] = [(await t.add()).id, (await t.add()).id];
  await db.updateTable('media_items').set({ rating: 3 }).where('id', '=', other).execute();
  for (let i = 0; i < maxRunningChanges - 1; i++)
    await addChange(db, workspaceId, { items: { ids: [one] }, change: { rating: 1 } });
  expect(await keepCopy(db, workspaceId, one, [other])).toEqual({ refused: 'too many' });
  expect(await countRunning(db, workspaceId)).toBe(maxRunningChanges - 1);
});

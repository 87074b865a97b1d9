import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { changeMembers, createGroup } from '../labels/item-groups.ts';
import { moveMembers } from '../labels/member-order.ts';
import { moveToTrash } from '../media/trash.ts';
import { listSharedItems, summariseShares } from './shared-items.ts';
import { createShare } from './shares.ts';

describe.each(backends)('over %s', (backend) => {
  test('a link shows a collection in its order and a selection in that in which it was named', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const group = await createGroup(db, 'collections', workspaceId, 'Trip');
    if (typeof group === 'string') throw new Error(group);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await t.add(name)).id);
    await db.updateTable('media_items').set({ status: 'complete', poster_file: 'poster.webp' }).execute();
    for (const id of ids) await changeMembers(db, 'collections', workspaceId, group.id, { add: [id] });
    const [a = '', b = '', c = ''] = ids;
    await moveMembers(db, workspaceId, group.id, { moves: [{ media_ids: [c], before_id: a }] });
    const d = (await t.add('d')).id;
    await db.updateTable('media_items').set({ status: 'complete' }).where('id', '=', d).execute();
    await changeMembers(db, 'collections', workspaceId, group.id, { add: [d] });
    const make = async (collection: string | null, selected: string[]) => {
      const row = await createShare(
        db,
        createSecrets(new Uint8Array(32)),
        {
          workspace_id: workspaceId,
          media_id: null,
          collection_id: collection,
          start_time: null,
          end_time: null,
          title: null,
          note: null,
          download: 'none',
          comments: 'none',
          password_hash: null,
          created_by: null,
          expires_at: new Date(Date.now() + 60_000).toISOString(),
        },
        selected,
      );
      if (!row) throw new Error('The link was not stored.');
      return row;
    };
    const [whole, some] = [await make(group.id, []), await make(null, [d, b, a])];
    const shown = async (share: typeof whole) => (await listSharedItems(db, share)).map(({ id }) => id);
    expect(await shown(whole)).toEqual([c, a, b, d]);
    expect(await shown(some)).toEqual([d, b, a]);
    const summaries = await summariseShares(db, workspaceId, [whole.id, some.id]);
    expect(summaries.get(whole.id)).toMatchObject({ items: 4, media_id: c });
    // The first has no picture.
    expect(summaries.get(some.id)).toMatchObject({ items: 3, media_id: b });
    await moveToTrash(db, workspaceId, [c, b]);
    expect([await shown(whole), await shown(some)]).toEqual([
      [a, d],
      [d, a],
    ]);
    expect(await summariseShares(db, 'elsewhere', [whole.id, some.id])).toEqual(new Map());
  });
});

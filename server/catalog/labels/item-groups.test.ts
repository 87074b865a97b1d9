import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { listChangesAfter, readLastChange } from '../media/item-changes.ts';
import { deleteMedia, listMedia, type MediaRow } from '../media/media-items.ts';
import { moveToTrash, restoreFromTrash } from '../media/trash.ts';
import { readCovers } from './covers.ts';
import { readGroupsOfItems } from './groups-of-items.ts';
import {
  changeMembers,
  createGroup,
  deleteGroup,
  findGroup,
  listGroups,
  mergeTag,
  renameGroup,
} from './item-groups.ts';
import type { GroupKind } from './members.ts';

describe.each(backends)('over %s', (backend) => {
  const page = { page: 1, per_page: 20, sort: '-created_at' as const };

  /** A catalog with three items and a function that makes a collection or tag with some of them. */
  async function setUp() {
    const t = await openTestCatalog(backend);
    const items: MediaRow[] = [];
    for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) items.push(await t.add(name));
    const [a = '', b = '', c = ''] = items.map(({ id }) => id);
    return {
      ...t,
      a,
      b,
      c,
      async make(kind: GroupKind, name: string, ...add: string[]): Promise<string> {
        const row = await createGroup(t.db, kind, t.workspaceId, name);
        if (row === 'taken' || row === 'full') throw new Error(row);
        await changeMembers(t.db, kind, t.workspaceId, row.id, { add });
        return row.id;
      },
      /** The items that an action changes for search indexes. */
      async changedBy(action: () => Promise<unknown>): Promise<string[]> {
        const before = await readLastChange(t.db, t.workspaceId);
        await action();
        return (await listChangesAfter(t.db, t.workspaceId, before, 100)).map(({ media_id }) => media_id).toSorted();
      },
    };
  }

  test.each(['collections', 'tags'] as const)(
    '%s have unique names, case ignored, and are listed by name',
    async (kind) => {
      await using t = await setUp();
      const { db, workspaceId } = t;
      const id = await t.make(kind, 'Zoë', t.a, t.b);
      await t.make(kind, 'ana');
      expect(await createGroup(db, kind, workspaceId, 'ZOË')).toBe('taken');
      expect(await renameGroup(db, kind, workspaceId, id, 'ANA')).toBe('taken');
      // Its own name in another case is no conflict.
      expect(await renameGroup(db, kind, workspaceId, id, 'zoë')).toMatchObject({ name: 'zoë', media_count: 2 });
      expect(await renameGroup(db, kind, workspaceId, 'unknown', 'new')).toBeUndefined();
      expect(await renameGroup(db, kind, 'elsewhere', id, 'new')).toBeUndefined();
      const listed = await listGroups(db, kind, workspaceId, { page: 1, per_page: 1 });
      expect(listed).toMatchObject({ total: 2, rows: [{ name: 'ana', media_count: 0 }] });
      expect(await listGroups(db, kind, workspaceId, { ...page, q: 'O' })).toMatchObject({ total: 1, rows: [{ id }] });
    },
  );

  test.each([
    ['collections', 'collection_id', 'collection_ids'],
    ['tags', 'tag_id', 'tag_ids'],
  ] as const)(
    '%s: items are added and removed any number of times, and the answer undoes it',
    async (kind, filter, field) => {
      await using t = await setUp();
      const { db, workspaceId, a, b, c } = t;
      const id = await t.make(kind, 'one', a);
      // Groups are listed by the millisecond in which the item was added.
      await setTimeout(2);
      const other = await t.make(kind, 'two', a, b, c);
      const change = (changes: { add?: string[]; remove?: string[] }) =>
        changeMembers(db, kind, workspaceId, id, changes);
      expect(await change({ add: [a, b, 'unknown', b] })).toEqual({ added: [b], removed: [], media_count: 2 });
      expect(await change({ add: [a, b] })).toEqual({ added: [], removed: [], media_count: 2 });
      // In both lists: it is in it afterwards, and was before.
      expect(await change({ add: [a], remove: [a, b, c] })).toEqual({ added: [], removed: [b], media_count: 1 });
      expect(await change({ add: [b] })).toEqual({ added: [b], removed: [], media_count: 2 });
      expect(await changeMembers(db, kind, 'elsewhere', id, { add: [c] })).toBeUndefined();
      await moveToTrash(db, workspaceId, [b, c]);
      expect(await change({ add: [c], remove: [b] })).toEqual({ added: [], removed: [], media_count: 1 });
      await restoreFromTrash(db, workspaceId, [b, c]);
      const listed = async (of: string) =>
        (await listMedia(db, workspaceId, { ...page, [filter]: of })).rows.map((row) => row.id);
      expect((await listed(id)).toSorted()).toEqual([a, b]);
      expect(await listed('unknown')).toEqual([]);
      expect((await listMedia(db, workspaceId, { ...page, [filter]: id, q: 'b.' })).rows.map((row) => row.id)).toEqual([
        b,
      ]);
      expect((await listMedia(db, 'elsewhere', { ...page, [filter]: id })).total).toBe(0);
      const groups = await readGroupsOfItems(db, workspaceId, [a, c]);
      expect([groups.get(a)?.[field], groups.get(c)?.[field]]).toEqual([[id, other], [other]]);
      expect((await readGroupsOfItems(db, 'elsewhere', [a])).get(a)?.[field]).toEqual([]);
    },
  );

  test.each(['collections', 'tags'] as const)(
    '%s: indexes and caches learn what changed, and nothing else',
    async (kind) => {
      await using t = await setUp();
      const { db, workspaceId, a, b, c } = t;
      const id = await t.make(kind, 'one', a);
      const change = (changes: { add?: string[]; remove?: string[] }) => () =>
        changeMembers(db, kind, workspaceId, id, changes);
      expect(await t.changedBy(change({ add: [a, b] }))).toEqual([b]);
      expect(await t.changedBy(change({ remove: [a, c] }))).toEqual([a]);
      await db.updateTable('media_items').set({ updated_at: 'before' }).execute();
      expect(await t.changedBy(change({ add: [c] }))).toEqual([c]);
      const marked = await db.selectFrom('media_items').select('id').where('updated_at', '!=', 'before').execute();
      expect(marked.map((row) => row.id)).toEqual([c]);
      expect(await t.changedBy(() => deleteMedia(db, workspaceId, c))).toEqual([c]);
      expect((await findGroup(db, kind, workspaceId, id))?.media_count).toBe(1);
      expect(await t.changedBy(() => deleteGroup(db, kind, workspaceId, id))).toEqual([b]);
      expect(await deleteGroup(db, kind, workspaceId, id)).toBe(false);
      expect((await listMedia(db, workspaceId, page)).total).toBe(2);
    },
  );

  test('a tag is merged into another: its items have that one, each once', async () => {
    await using t = await setUp();
    const { db, workspaceId, a, b, c } = t;
    const dusk = await t.make('tags', 'dusk', a, b);
    const sunset = await t.make('tags', 'sunset', b, c);
    expect((await mergeTag(db, workspaceId, dusk, dusk)).into).toBeUndefined();
    expect((await mergeTag(db, workspaceId, dusk, 'unknown')).into).toBeUndefined();
    expect((await mergeTag(db, 'elsewhere', dusk, sunset)).from).toBeUndefined();
    expect((await findGroup(db, 'tags', workspaceId, dusk))?.media_count).toBe(2);
    // One in the trash keeps its tags, for when it is restored.
    await moveToTrash(db, workspaceId, [a]);
    expect(await t.changedBy(() => mergeTag(db, workspaceId, dusk, sunset))).toEqual([a, b]);
    await restoreFromTrash(db, workspaceId, [a]);
    expect(await listGroups(db, 'tags', workspaceId, page)).toMatchObject({ rows: [{ id: sunset, media_count: 3 }] });
  });

  test('covers are the first four items with a thumbnail that were added', async () => {
    await using t = await setUp();
    const { db, workspaceId, a, b, c } = t;
    const id = await t.make('collections', 'one', c);
    const more = [await t.add('d.mp4'), await t.add('e.mp4'), await t.add('f.mp4')].map((row) => row.id);
    for (const [place, added] of [c, b, ...more, a].entries()) {
      await changeMembers(db, 'collections', workspaceId, id, { add: [added] });
      // Several are added within a millisecond.
      await db
        .updateTable('collection_items')
        .set({ added_at: `${place}` })
        .where('media_id', '=', added)
        .execute();
    }
    await db.updateTable('media_items').set({ poster_file: 'poster.webp' }).where('id', '!=', b).execute();
    const covers = (await readCovers(db, workspaceId, [{ id, cover_id: null }])).get(id);
    expect(covers?.map((row) => row.id)).toEqual([c, ...more]);
    const chosen = (await readCovers(db, workspaceId, [{ id, cover_id: more[1] ?? '' }])).get(id);
    expect(chosen?.map((row) => row.id)).toEqual([more[1], c, more[0], more[2]]);
    expect((await readCovers(db, 'elsewhere', [{ id, cover_id: c }])).get(id)).toEqual([]);
  });
});

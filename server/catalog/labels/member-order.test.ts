import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { listMedia } from '../media/media-items.ts';
import { changeMembers, createGroup, updateCollection } from './item-groups.ts';
import { moveMembers } from './member-order.ts';

describe.each(backends)('over %s', (backend) => {
  /** A collection with items that are named by letters. */
  async function setUp(letters: string) {
    const t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const ids = new Map<string, string>();
    const row = await createGroup(db, 'collections', workspaceId, 'Trip');
    if (typeof row === 'string') throw new Error(row);
    const add = async (letter: string) => {
      const { id } = await t.add(letter);
      ids.set(letter, id);
      await changeMembers(db, 'collections', workspaceId, row.id, { add: [id] });
    };
    for (const letter of letters) await add(letter);
    const idOf = (letter: string) => ids.get(letter) ?? '';
    return {
      ...t,
      add,
      idOf,
      collection: row.id,
      order: async (page = 1, per_page = 100) => {
        const query = { sort: 'position' as const, collection_id: row.id, page, per_page };
        return (await listMedia(db, workspaceId, query)).rows.map(({ filename }) => filename).join('');
      },
      move: (letters: string, before: string | null) =>
        moveMembers(db, workspaceId, row.id, {
          moves: [{ media_ids: Array.from(letters, idOf), before_id: before === null ? null : idOf(before) }],
        }),
    };
  }

  test('items move before others and to the end, and back by what is answered', async () => {
    await using t = await setUp('abcdef');
    expect(await t.order()).toBe('abcdef');
    const back = await t.move('e', 'b');
    expect(await t.order()).toBe('aebcdf');
    expect(await t.order(2, 2)).toBe('bc');
    await t.move('a', null);
    expect(await t.order()).toBe('ebcdfa');
    const together = await t.move('fce', 'd');
    expect(await t.order()).toBe('bfceda');
    await moveMembers(
      t.db,
      t.workspaceId,
      t.collection,
      together as Exclude<typeof together, undefined | { unknown: number }>,
    );
    expect(await t.order()).toBe('ebcdfa');
    expect(back).toEqual({ moves: [{ media_ids: [t.idOf('e')], before_id: t.idOf('f') }] });
  });

  test('what is added later comes last, and can be moved too', async () => {
    await using t = await setUp('abc');
    await t.move('c', 'a');
    await t.add('d');
    await t.add('e');
    expect(await t.order()).toBe('cabde');
    await t.move('e', 'c');
    expect(await t.order()).toBe('ecabd');
  });

  test('a place between the same two items never runs out', async () => {
    await using t = await setUp('abcd');
    for (let i = 0; i < 60; i++) await t.move(i % 2 === 0 ? 'c' : 'd', i % 2 === 0 ? 'd' : 'c');
    expect(await t.order()).toBe('abdc');
    for (let i = 0; i < 120; i++)
      await t.move(await t.order().then((order) => order[2] ?? ''), (await t.order())[1] ?? null);
    expect((await t.order())[0]).toBe('a');
    const { rows } = await listMedia(t.db, t.workspaceId, {
      sort: 'position',
      collection_id: t.collection,
      page: 1,
      per_page: 9,
    });
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
  });

  test('items of others are ignored, and a place that is none is refused', async () => {
    await using t = await setUp('ab');
    const other = (await t.add('z').then(() => t.idOf('z'))) || '';
    await changeMembers(t.db, 'collections', t.workspaceId, t.collection, { remove: [other] });
    expect(await t.move('a', 'z')).toEqual({ unknown: 0 });
    expect(await t.move('a', 'a')).toEqual({ unknown: 0 });
    expect(await t.move('z', 'a')).toEqual({ moves: [] });
    expect(await moveMembers(t.db, 'elsewhere', t.collection, { moves: [] })).toBeUndefined();
    expect(await updateCollection(t.db, t.workspaceId, t.collection, { cover_id: other })).toBe('not in it');
    expect(
      await updateCollection(t.db, t.workspaceId, t.collection, { description: 'May', cover_id: t.idOf('b') }),
    ).toMatchObject({ name: 'Trip', description: 'May', cover_id: t.idOf('b') });
  });

  test('a thousand of many items are moved in a moment', async () => {
    await using t = await setUp('');
    const ids: string[] = [];
    for (let i = 0; i < 1500; i++) ids.push((await t.add(String(i)).then(() => t.idOf(String(i)))) || '');
    const start = performance.now();
    await moveMembers(t.db, t.workspaceId, t.collection, {
      moves: [{ media_ids: ids.slice(500), before_id: ids[0] ?? null }],
    });
    expect(performance.now() - start).toBeLessThan(2000);
    expect((await t.order(1, 100)).startsWith('500501')).toBe(true);
  });
});

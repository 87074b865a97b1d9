import { describe, expect, test } from 'vitest';
import type { ListFilter } from '../../../contract/filters.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { countByMonth, listMedia } from './media-items.ts';

describe.each(backends)('over %s', (backend) => {
  /** When items were taken: the moment, and the time zone where it is known. */
  const taken: Record<string, [at: string, zone: string | null] | null> = {
    'new year in Kyiv': ['2026-12-31T22:30:00.000Z', '+02:00'],
    'last evening in Kyiv': ['2026-12-31T21:30:00.000Z', '+02:00'],
    'last evening in Rio': ['2027-01-01T01:00:00.000Z', '-03:00'],
    'of a camera without a zone': ['2026-07-14T19:12:08.250Z', null],
    undated: null,
    'undated too': null,
  };

  async function setUp() {
    const t = await openTestCatalog(backend);
    const ids = new Map<string, string>();
    for (const [name, when] of Object.entries(taken)) {
      const { id } = await t.add(name);
      ids.set(name, id);
      await t.db
        .updateTable('media_items')
        .set({ taken_at: when?.[0] ?? null, taken_zone: when?.[1] ?? null })
        .where('id', '=', id)
        .execute();
    }
    const list = async (sort: 'taken_at' | '-taken_at', filter: ListFilter = {}, page = 1, perPage = 100) =>
      (await listMedia(t.db, t.workspaceId, { sort, page, per_page: perPage, ...filter })).rows.map(
        ({ filename }) => filename,
      );
    const idOf = (name: string): string => ids.get(name) ?? '';
    // Identifiers of one millisecond are in no order.
    const undated = ['undated', 'undated too'].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    return { ...t, list, undated };
  }

  const latestFirst = ['new year in Kyiv', 'last evening in Rio', 'last evening in Kyiv', 'of a camera without a zone'];

  test('items are in order of the date that they were taken, those without one last in both directions, on all pages alike', async () => {
    await using t = await setUp();
    expect(await t.list('-taken_at')).toEqual([...latestFirst, ...t.undated.toReversed()]);
    const earliestFirst = [...latestFirst.toReversed(), ...t.undated];
    expect(await t.list('taken_at')).toEqual(earliestFirst);
    const pages = [1, 2, 3].map((page) => t.list('taken_at', {}, page, 2));
    expect((await Promise.all(pages)).flat()).toEqual(earliestFirst);
  });

  test('months are those of the local calendar, in the order of the list', async () => {
    await using t = await setUp();
    expect(await countByMonth(t.db, t.workspaceId, {})).toEqual([
      { month: '2027-01', count: 1 },
      { month: '2026-12', count: 2 },
      { month: '2026-07', count: 1 },
      { month: null, count: 2 },
    ]);
    expect(await countByMonth(t.db, t.workspaceId, { q: 'evening' })).toEqual([{ month: '2026-12', count: 2 }]);
    expect(await countByMonth(t.db, 'elsewhere', {})).toEqual([]);
  });

  test('a date is a day of the local calendar, a time is a moment, and the first counts while the second does not', async () => {
    await using t = await setUp();
    const found = (taken_after?: string, taken_before?: string) => t.list('-taken_at', { taken_after, taken_before });
    expect(await found('2027-01-01')).toEqual(['new year in Kyiv']);
    expect(await found('2026-12-31', '2027-01-01')).toEqual(['last evening in Rio', 'last evening in Kyiv']);
    expect(await found(undefined, '2026-12-31')).toEqual(['of a camera without a zone']);
    expect(await found('2026-12-31T22:30:00Z')).toEqual(['new year in Kyiv', 'last evening in Rio']);
    expect(await found('2027-01-01T00:30:00+02:00', '2027-01-01T01:00:00Z')).toEqual(['new year in Kyiv']);
    expect(await found('2026-07-14T19:12:08.251Z', '2026-08-01')).toEqual([]);
  });
});

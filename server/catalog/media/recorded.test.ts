import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isInBox, isInCircle, parseBox, parseCircle } from '../../../contract/positions.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { foldText } from '../dialect/fold-text.ts';
import { countFacets } from './facets.ts';
import { fillRecorded } from './fill-recorded.ts';
import { listMedia } from './media-items.ts';
import { findLocated, groupPlaces } from './place-groups.ts';

const page = { page: 1, per_page: 100, sort: '-created_at' } as const;
const never = new AbortController().signal;

describe.each(backends)('over %s', (backend) => {
  async function setUp(items: Record<string, Record<string, string | number | null>>) {
    const t = await openTestCatalog(backend);
    const ids = new Map<string, string>();
    for (const [name, columns] of Object.entries(items)) {
      const { id } = await t.add(name);
      ids.set(id, name);
      if (Object.keys(columns).length > 0)
        await t.db.updateTable('media_items').set(columns).where('id', '=', id).execute();
    }
    const places = Object.fromEntries(Object.entries(items).map(([name, { place }]) => [name, String(place)]));
    return Object.assign(t, { ids, places });
  }

  test('circles and boxes let through in SQL what they hold by the formulas of the contract', async () => {
    const latitudes = [-90, -89.95, -45, -17, -0.01, 0, 0.01, 53.55, 89.95, 90];
    const longitudes = [-180, -179.95, -90, 0, 9.99, 10.05, 179.95, 180];
    const positions = latitudes.flatMap((latitude) => longitudes.map((longitude) => ({ latitude, longitude })));
    await using t = await setUp({
      ...Object.fromEntries(positions.map((position, i) => [`${i}`, position])),
      nowhere: {},
    });
    const found = async (filter: { near?: string; box?: string }) =>
      (await listMedia(t.db, t.workspaceId, { ...page, ...filter })).rows
        .map(({ filename }) => Number(filename))
        .toSorted((a, b) => a - b);
    const numbersOf = (isIn: (latitude: number, longitude: number) => boolean) =>
      positions.flatMap(({ latitude, longitude }, i) => (isIn(latitude, longitude) ? [i] : []));
    for (const near of ['53.55,9.99,5', '-17,180,12', '90,0,20', '-89.9,77,30', '0,0,2', '0,0,10100', '0,0,20100']) {
      const circle = parseCircle(near);
      const expected = numbersOf((...at) => circle !== null && isInCircle(circle, ...at));
      expect(expected.length, near).toBeGreaterThan(0);
      expect(await found({ near }), near).toEqual(expected);
    }
    for (const box of ['53,9,54,10', '-20,170,20,-170', '-90,-180,90,180', '-1,-180,1,-180']) {
      const area = parseBox(box);
      const expected = numbersOf((...at) => area !== null && isInBox(area, ...at));
      expect(expected.length, box).toBeGreaterThan(0);
      expect(await found({ box }), box).toEqual(expected);
    }
  });

  test('names are found without their accents, and with them, in either case', async () => {
    await using t = await setUp({
      a: { place: 'Zürich, Switzerland' },
      b: { place: 'Tromsø, Norway' },
      c: { place: 'Łódź, Poland' },
      d: { place: 'ÉVRY, France' },
      e: { place: 'Ａachen' },
      f: { place: 'A 100%_b' },
    });
    const found = async (place: string) =>
      (await listMedia(t.db, t.workspaceId, { ...page, place })).rows.map(({ filename }) => filename);
    for (const [place, name] of [
      ['zurich', 'a'],
      ['ZÜRICH', 'a'],
      ['Zu\u0308rich', 'a'],
      ['tromso', 'b'],
      ['Lodz', 'c'],
      ['évry', 'd'],
      ['aachen', 'e'],
      ['100%_', 'f'],
    ] as const) {
      expect(await found(place), place).toEqual([name]);
      expect(foldText(t.places[name] ?? '').includes(foldText(place)), place).toBe(true);
    }
    expect(await found('zuerich')).toEqual([]);
  });

  test('a resolution is that of the longer or the shorter side, upright or not', async () => {
    const sizes: Record<string, [number, number, string]> = {
      'uhd.mov': [3840, 2160, '4k'],
      'upright.mov': [2160, 3840, '4k'],
      'scope.mov': [4096, 1716, '4k'],
      'hd.mov': [1920, 1080, '1080p'],
      'phone.mov': [1080, 1920, '1080p'],
      'old.mov': [1440, 1080, '1080p'],
      'small.mov': [1280, 720, '720p'],
      'dvd.mov': [720, 576, 'sd'],
      'huge.jpg': [8192, 5464, '8k'],
      'wide.mov': [2560, 1080, '1440p'],
    };
    await using t = await setUp(
      Object.fromEntries(Object.entries(sizes).map(([name, [width, height]]) => [name, { width, height }])),
    );
    for (const resolution of ['8k', '4k', '1440p', '1080p', '720p', 'sd'] as const) {
      const { rows } = await listMedia(t.db, t.workspaceId, { ...page, resolution });
      const expected = Object.entries(sizes).flatMap(([name, [, , of]]) => (of === resolution ? [name] : []));
      expect(rows.map(({ filename }) => filename).toSorted(), resolution).toEqual(expected.toSorted());
    }
  });

  test('facets count the values under the filters of other fields, the most frequent first', async () => {
    await using t = await setUp({
      a: { camera: 'Canon EOS R5', lens: 'RF 50', sound: 'no', codec: null },
      b: { camera: 'Canon EOS R5', lens: 'RF 85', sound: 'no' },
      c: { camera: 'Apple iPhone 15', codec: 'hevc', sound: 'yes' },
      d: { camera: 'Apple iPhone 15', trashed_at: '2026-01-01T00:00:00.000Z' },
      e: {},
    });
    const all = await countFacets(t.db, t.workspaceId, {});
    expect(all).toMatchObject({
      camera: [
        { value: 'Canon EOS R5', count: 2 },
        { value: 'Apple iPhone 15', count: 1 },
      ],
      lens: [
        { value: 'RF 50', count: 1 },
        { value: 'RF 85', count: 1 },
      ],
      codec: [{ value: 'hevc', count: 1 }],
      place: [],
    });
    const canon = await countFacets(t.db, t.workspaceId, { camera: 'canon' });
    expect(canon['camera']).toEqual(all['camera']);
    expect(canon['sound']).toEqual([{ value: 'no', count: 2 }]);
    expect(canon['codec']).toEqual([]);
    expect(await countFacets(t.db, 'elsewhere', {})).toMatchObject({ camera: [], type: [] });
  });

  test('what items of earlier releases lack is filled once, and search indexes hear of it', async () => {
    const details = {
      video: { codec: 'hevc', frame_rate: 29.97 },
      audio: { codec: 'aac' },
      image: { lens: 'never read of a video' },
    };
    await using t = await setUp({
      film: { details: JSON.stringify(details), latitude: 1, longitude: 2 },
      named: { details: '{"image":{"lens":"RF 50"}}', latitude: 1, longitude: 2, place: 'As the file says' },
      'at sea': { details: '{}', latitude: 80, longitude: 0 },
      unread: { latitude: 1, longitude: 2 },
      'already there': { details: '{"audio":{}}', sound: 'no' },
    });
    const describePosition = (latitude: number) => (latitude < 10 ? 'Somewhere, Ghana' : null);
    const before = await sql<{ last: number }>`select max(sequence) as last from item_changes`.execute(t.db);
    expect(await fillRecorded(t.db, describePosition, never)).toBe(3);
    const rows = await t.db.selectFrom('media_items').selectAll().execute();
    const columns = Object.fromEntries(
      rows.map(({ filename, lens, codec, frame_rate, sound, place }) => [
        filename,
        { lens, codec, frame_rate, sound, place },
      ]),
    );
    const none = { lens: null, codec: null, frame_rate: null, sound: null, place: null };
    expect(columns).toEqual({
      film: {
        lens: 'never read of a video',
        codec: 'hevc',
        frame_rate: 29.97,
        sound: 'yes',
        place: 'Somewhere, Ghana',
      },
      named: { ...none, lens: 'RF 50', sound: 'no', place: 'As the file says' },
      'at sea': { ...none, sound: 'no' },
      unread: none,
      'already there': { ...none, sound: 'no' },
    });
    const changed = await sql<{ media_id: string }>`
      select media_id from item_changes where sequence > ${before.rows[0]?.last}`.execute(t.db);
    expect(new Set(changed.rows.map(({ media_id }) => t.ids.get(media_id)))).toEqual(
      new Set(['at sea', 'film', 'named']),
    );
    expect(await fillRecorded(t.db, describePosition, never)).toBe(0);
  });

  test('places are grouped by what would overlap on the map, each with what was recorded last', async () => {
    const at = (latitude: number, longitude: number, taken_at: string | null = null) => ({
      latitude,
      longitude,
      taken_at,
    });
    await using t = await setUp({
      harbour: at(53.5459, 9.9695, '2026-07-14T10:00:00.000Z'),
      'town hall': at(53.5505, 9.9922, '2026-07-15T10:00:00.000Z'),
      lisbon: at(38.7223, -9.1393),
      suva: at(-18.14, 178.44),
      pole: at(90, 0),
      nowhere: {},
    });
    const groups = async (query: { zoom: number; view?: string; camera?: string }) =>
      (await groupPlaces(t.db, t.workspaceId, query))
        .map(({ cover, count }) => `${cover.filename} ${count}`)
        .toSorted();
    expect(await groups({ zoom: 3 })).toEqual(['lisbon 1', 'pole 1', 'suva 1', 'town hall 2']);
    expect(await groups({ zoom: 15 })).toEqual(['harbour 1', 'lisbon 1', 'pole 1', 'suva 1', 'town hall 1']);
    expect(await groups({ zoom: 15, view: '50,5,60,15' })).toEqual(['harbour 1', 'town hall 1']);
    expect(await groups({ zoom: 15, view: '-30,170,0,-170' })).toEqual(['suva 1']);
    expect(await groups({ zoom: 15, camera: 'none' })).toEqual([]);
    // At the edge of a cell, too: pictures of less than 44 pixels apart are one.
    expect((await groupPlaces(t.db, t.workspaceId, { zoom: 0 })).reduce((sum, { count }) => sum + count, 0)).toBe(5);
    const [both] = await groupPlaces(t.db, t.workspaceId, { zoom: 5, view: '50,5,60,15' });
    expect(both).toMatchObject({ count: 2, box: { south: 53.5459, west: 9.9695, north: 53.5505, east: 9.9922 } });
    expect(both?.latitude).toBeCloseTo((53.5459 + 53.5505) / 2, 6);
    expect(await findLocated(t.db, t.workspaceId, { zoom: 0 })).toEqual({
      located: 5,
      box: { south: -18.14, west: -9.1393, north: 90, east: 178.44 },
    });
    expect(await findLocated(t.db, t.workspaceId, { zoom: 0, camera: 'none' })).toEqual({ located: 0, box: null });
  });
});

import { readFile, truncate, writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { labelColumns, listColumns, numberColumns } from '../../../contract/fields.ts';
import { temporaryFolder } from '../../media/testing/temporary-folder.ts';
import { baseOf, isUpper, upperOf } from '../graph/layers.ts';
import { listLinks } from '../graph/link-slot.ts';
import { countGroups, maxLinks, readLinked } from '../index/index-memory.ts';
import { hasSlot } from '../index/slot-set.ts';
import { buildIndex, itemOf, linkUntil } from '../testing/built-index.ts';
import { createRandom, drawClusters } from '../testing/random.ts';
import { buildTextSegment, runToEnd } from '../text/build-segment.ts';
import { type BuiltIndex, putItem, removeItem } from './built-index.ts';
import { type IndexDescription, loadIndex, saveIndex, verifyIndexFile } from './index-file.ts';

const dimensions = 40;
const count = 600;
const random = createRandom(8);
const vectors = drawClusters(random, { count, clusters: 20, dimensions });
const key = { workspaceId: 'workspace', embedder: { id: 'test@1', dimensions } };
const position = { timeline: 'now', change: 17 };

/** An index with all that one can hold: a graph of most slots, labels, deleted items, chunks without a vector, two text segments. */
async function createIndex(): Promise<BuiltIndex> {
  const index = await buildIndex(
    vectors.map((vector, i) => (i % 11 === 3 ? null : vector)),
    dimensions,
  );
  linkUntil(index, count - 50);
  for (let i = 0; i < count; i += 3) {
    await putItem(
      index,
      itemOf(`item-${i}`, [i], {
        creator_id: i % 2 === 0 ? 'ana' : null,
        category_id: 'sport',
        collection_id: ['summer', 'sport'],
        tag_id: ['sea'],
        taken_at: Date.parse('2026-07-14T22:30:00.000Z'),
        taken_local: Date.parse('2026-07-15T00:30:00.000Z'),
      }),
      () => Promise.resolve(new Map()),
    );
  }
  for (let i = 7; i < count; i += 40) removeItem(index, `item-${i}`);
  const texts = Array.from({ length: count }, (_, i) => ({
    texts: [{ source: i % 2 === 0 ? ('speech' as const) : ('ocr' as const), text: `harbour ${i}` }],
    filename: 'RedCar.mp4',
    tags: '東京',
  }));
  index.pendingTexts = [];
  index.textSegments = [
    runToEnd(buildTextSegment(0, texts.slice(0, 400))),
    runToEnd(buildTextSegment(400, texts.slice(400))),
  ];
  return index;
}

/** All that searches and the builder read of an index. */
function readAll({
  open,
  slotCount,
  itemIds,
  textSums,
  labelValues,
  deletedCount,
  textSegments,
  itemNumbers,
  labelPlaces,
  listWords,
  unusedWords,
}: BuiltIndex) {
  const linked = readLinked(open.header);
  return {
    slotCount,
    linked,
    itemIds,
    textSums,
    labelValues,
    deletedCount,
    textSegments,
    itemNumbers,
    labelPlaces,
    vectors: Buffer.from(open.vectors.bytesOf(slotCount)).toString('base64'),
    links: Array.from({ length: linked }, (_, slot) => listLinks(baseOf(open), slot)),
    upperLinks: Array.from({ length: linked }, (_, slot) => slot)
      .filter(isUpper)
      .map((slot) => listLinks(upperOf(open), slot)),
    numbers: [...open.numbers.subarray(0, slotCount)],
    times: [...open.times.subarray(0, 2 * slotCount)],
    items: [...open.items.subarray(0, slotCount)],
    embedded: [...open.embedded.subarray(0, slotCount)],
    deleted: Array.from({ length: slotCount }, (_, slot) => hasSlot({ words: open.deleted }, slot)),
    ranges: [...open.ranges.subarray(0, 2 * itemIds.length)],
    labels: labelColumns.map((name) => [...open.labels[name].subarray(0, itemIds.length)]),
    numbersOfItems: numberColumns.map((name) => [...open.numbersOfItems[name].subarray(0, itemIds.length)]),
    listPlaces: listColumns.map((name) => [...open.listPlaces[name].subarray(0, itemIds.length)]),
    lists: [...open.lists.subarray(0, listWords)],
    unusedWords,
  };
}

test('what was saved is loaded as it was, and grows on', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('new/folder/a.index');
  const index = await createIndex();
  await saveIndex(file, index, position);
  const loaded = await loadIndex(file, key);
  expect(loaded?.position).toEqual(position);
  const copy = loaded?.index as BuiltIndex;
  expect(readAll(copy)).toEqual(readAll(index));
  expect(copy.indexId).not.toBe(index.indexId);
  // Threads share what it consists of.
  expect(Object.values(copy.textSegments[0] ?? {}).filter((value) => typeof value !== 'number')).not.toEqual([]);
  for (const value of Object.values(copy.textSegments[0] ?? {})) {
    if (typeof value !== 'number') expect(value.buffer).toBeInstanceOf(SharedArrayBuffer);
  }
  for (const each of [index, copy]) {
    await putItem(each, itemOf('more', [1000, 1001], { creator_id: 'ana' }), () =>
      Promise.resolve(new Map([[1000, vectors[0] as Float32Array]])),
    );
    removeItem(each, 'item-0');
    linkUntil(each);
  }
  expect(readAll(copy)).toEqual(readAll(index));
  copy.textSegments.push(runToEnd(buildTextSegment(copy.slotCount - copy.pendingTexts.length, copy.pendingTexts)));
  copy.pendingTexts = [];
  // The second save replaces the first.
  await saveIndex(file, copy, { ...position, change: 18 });
  expect((await loadIndex(file, key))?.position.change).toBe(18);
  expect((await verifyIndexFile(file))?.slotCount).toBe(602);
});

test('an empty index is saved and loaded', async () => {
  await using folder = await temporaryFolder();
  const index = await buildIndex([], dimensions);
  await saveIndex(folder.file('a.index'), index, position);
  expect((await loadIndex(folder.file('a.index'), key))?.index.slotCount).toBe(0);
});

describe('a file', () => {
  let bytes: Buffer;
  let description: IndexDescription;
  let descriptionLength = 0;

  beforeAll(async () => {
    await using folder = await temporaryFolder();
    await saveIndex(folder.file('a.index'), await createIndex(), position);
    bytes = await readFile(folder.file('a.index'));
    descriptionLength = bytes.readUInt32LE(bytes.length - 8);
    description = JSON.parse(
      bytes.toString('utf8', bytes.length - 8 - descriptionLength, bytes.length - 8),
    ) as IndexDescription;
  });

  /** Expects that such a file is taken for none. */
  async function expectRefused(content: Uint8Array, what: string): Promise<void> {
    await using folder = await temporaryFolder();
    await writeFile(folder.file('a.index'), content);
    expect(await loadIndex(folder.file('a.index'), key), what).toBeNull();
    expect(await verifyIndexFile(folder.file('a.index')), what).toBeNull();
  }

  test('with a flipped bit in any section, or in what it says of itself, is refused', async () => {
    let at = 0;
    const places: [string, number][] = [];
    for (const { name, bytes: length } of description.sections) {
      for (const place of [0, Math.floor(length / 2), length - 1]) if (length > 0) places.push([name, at + place]);
      at += length;
    }
    expect(at).toBe(bytes.length - 8 - descriptionLength);
    expect(new Set(places.map(([name]) => name)).size).toBeGreaterThanOrEqual(
      9 + labelColumns.length + numberColumns.length + listColumns.length,
    );
    for (let back = 1; back < 200; back++) places.push(['description', bytes.length - back]);
    for (const [name, place] of places) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8((damaged[place] as number) ^ (1 << random.below(8)), place);
      await expectRefused(damaged, `${name} at ${place}`);
    }
  });

  test('that was cut off, that something was added to, or that is another one is refused', async () => {
    for (const length of [
      0,
      1,
      7,
      8,
      9,
      1000,
      bytes.length - descriptionLength - 8,
      bytes.length - 8,
      bytes.length - 1,
    ]) {
      await expectRefused(bytes.subarray(0, length), `${length} bytes`);
    }
    await expectRefused(Buffer.concat([bytes, Buffer.alloc(1)]), 'a byte more');
    await expectRefused(bytes.subarray(1), 'a byte less at the start');
    await expectRefused(Buffer.alloc(5000), 'zeros');
    await expectRefused(Buffer.alloc(5000, 255), 'ones');
  });

  /** The file with another description, and its right checksum. */
  function describeAs(changes: Partial<IndexDescription>): Buffer {
    const text = Buffer.from(JSON.stringify({ ...description, ...changes }));
    const end = Buffer.alloc(8);
    end.writeUInt32LE(text.length, 0);
    end.writeUInt32LE(crc32(text), 4);
    return Buffer.concat([bytes.subarray(0, bytes.length - 8 - descriptionLength), text, end]);
  }

  test('of another version of the format is refused', async () => {
    await expectRefused(describeAs({ formatVersion: description.formatVersion + 1 }), 'newer');
    await expectRefused(describeAs({ formatVersion: description.formatVersion - 1 }), 'older');
  });

  test('of vectors of another length is refused, and so is one whose sections are not those of an index', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('a.index');
    await writeFile(file, describeAs({}));
    expect(await loadIndex(file, key)).not.toBeNull();
    expect(await loadIndex(file, { ...key, embedder: { id: 'test@1', dimensions: dimensions + 1 } })).toBeNull();
    for (const changes of [
      { slotCount: count - 1 },
      { sections: description.sections.toReversed() },
      { sections: description.sections.slice(1) },
      { sections: [] },
    ]) {
      await writeFile(file, describeAs(changes));
      expect(await loadIndex(file, key), JSON.stringify(changes).slice(0, 50)).toBeNull();
    }
  });

  test('that is missing is none, and one that fails to be written leaves the one before', async () => {
    await using folder = await temporaryFolder();
    expect(await loadIndex(folder.file('none'), key)).toBeNull();
    expect(await verifyIndexFile(folder.file('none'))).toBeNull();
    await writeFile(folder.file('occupied'), '');
    const index = await createIndex();
    await expect(saveIndex(folder.file('occupied/a.index'), index, position)).rejects.toThrow(/EEXIST|ENOTDIR/);
    await saveIndex(folder.file('a.index'), index, position);
    await truncate(folder.file('a.index'), 100);
    await saveIndex(folder.file('a.index'), index, position);
    expect(await loadIndex(folder.file('a.index'), key)).not.toBeNull();
  });
});

test('slots that are added, linked, labelled and deleted while it is saved are left out, and following the changes again gives the same', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.index');
  const index = await createIndex();
  const linkedBefore = readLinked(index.open.header);
  const saving = saveIndex(file, index, position);
  const change = async (each: BuiltIndex) => {
    for (let i = 0; i < 300; i++) {
      const vector = vectors[i] as Float32Array;
      const item = itemOf(`late-${i}`, [2000 + i], { creator_id: `creator-${i}` });
      await putItem(each, item, () => Promise.resolve(new Map([[2000 + i, vector]])));
    }
    removeItem(each, 'item-1');
    await putItem(each, itemOf('item-2', [2], { creator_id: 'zoe' }), () => Promise.resolve(new Map()));
  };
  await change(index);
  linkUntil(index);
  await saving;
  const { index: loaded } = (await loadIndex(file, key)) as { index: BuiltIndex };
  expect(loaded.slotCount).toBe(count);
  expect(readLinked(loaded.open.header)).toBe(linkedBefore);
  const { links, upperLinks } = readAll(loaded);
  // The saved ones did have links beyond, to what was linked meanwhile.
  expect(
    readAll(index)
      .links.slice(0, linkedBefore)
      .flat()
      .some((near) => near >= linkedBefore),
  ).toBe(true);
  for (const near of [...links, ...upperLinks].flat()) expect(near).toBeLessThan(linkedBefore);
  expect(links.filter((each) => each.length > 0).length).toBeGreaterThan(linkedBefore / 2);
  await change(loaded);
  linkUntil(loaded);
  const live = ({ deleted, numbers, items, labels, labelValues, itemIds }: ReturnType<typeof readAll>) =>
    numbers.flatMap((number, slot) =>
      deleted[slot]
        ? []
        : [[number, itemIds[items[slot] as number], labelValues[labels[0]?.[items[slot] as number] as number]]],
    );
  expect(live(readAll(loaded))).toEqual(live(readAll(index)));
  expect(loaded.deletedCount).toBe(index.deletedCount);
});

test('a file of another workspace or embedder is not taken', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.index');
  await saveIndex(file, await createIndex(), position);
  expect(await loadIndex(file, { ...key, workspaceId: 'another' })).toBeNull();
  expect(await loadIndex(file, { ...key, embedder: { ...key.embedder, id: 'test@2' } })).toBeNull();
  expect(await loadIndex(file, key)).not.toBeNull();
});

test.each<[what: string, change: (index: BuiltIndex) => void]>([
  ['links beyond the graph', ({ open }) => void (open.links[1] = 2 ** 30)],
  ['the largest of links', ({ open }) => void open.links.fill(0x7fffffff, 0, maxLinks)],
  ['negative links', ({ open }) => void (open.links[1] = -1)],
  ['links of the upper layer beyond the graph', ({ open }) => void (open.upperLinks[1] = 2 ** 30)],
  ['negative links of the upper layer', ({ open }) => void (open.upperLinks[1] = -1)],
])('%s are dropped at loading', async (_, change) => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.index');
  const index = await createIndex();
  linkUntil(index);
  change(index);
  await saveIndex(file, index, position);
  const { open } = ((await loadIndex(file, key)) as { index: BuiltIndex }).index;
  const linked = readLinked(open.header);
  expect(linked).toBe(count);
  const upper = open.upperLinks.subarray(0, countGroups(linked) * maxLinks);
  for (const near of [...open.links.subarray(0, linked * maxLinks), ...upper]) {
    expect(near).toBeGreaterThanOrEqual(0);
    expect(near).toBeLessThanOrEqual(linked);
  }
});

test('with collections and tags that change while it is saved the file is sound', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.index');
  const index = await createIndex();
  const saved = saveIndex(file, index, position);
  for (let i = 0; i < count; i += 3) {
    await putItem(index, itemOf(`item-${i}`, [i], { tag_id: [`new-${i}`, 'sea'] }), () => Promise.resolve(new Map()));
  }
  await saved;
  expect(await loadIndex(file, key)).not.toBeNull();
});

test.each<[what: string, change: (index: BuiltIndex) => void]>([
  ['an item that does not exist', ({ open }) => void (open.items[3] = 1_000_000)],
  ['a label that does not exist', ({ open }) => void (open.labels.type[0] = 99)],
  ['a list that does not exist', ({ open }) => void (open.listPlaces.collection_id[0] = 1_000_000)],
  [
    'a list of a label that does not exist',
    ({ open }) => void (open.lists[(open.listPlaces.tag_id[0] as number) + 1] = 99),
  ],
  ['slots of an item that do not exist', ({ open }) => void (open.ranges[1] = 1_000_000)],
  ['slots without texts', (index) => void index.textSegments.pop()],
])('with %s the file is rebuilt, although its checksums are right', async (_, change) => {
  await using folder = await temporaryFolder();
  const file = folder.file('a.index');
  const index = await createIndex();
  change(index);
  await saveIndex(file, index, position);
  expect(await loadIndex(file, key)).toBeNull();
});

test.each([
  'null',
  '[]',
  'not JSON',
  '{"formatVersion":4}',
  '{"formatVersion":4,"slotCount":1e15,"itemIds":[],"sections":[]}',
])('the description %s is that of a damaged file', async (text) => {
  await using folder = await temporaryFolder();
  const end = Buffer.alloc(8);
  end.writeUInt32LE(text.length, 0);
  end.writeUInt32LE(crc32(text), 4);
  await writeFile(folder.file('a.index'), Buffer.concat([Buffer.from(text), end]));
  expect(await loadIndex(folder.file('a.index'), key)).toBeNull();
  expect(await loadIndex(folder.path, key)).toBeNull();
});

import { buffer } from 'node:stream/consumers';
import { makeZip } from 'client-zip';
import { expect, test } from 'vitest';
import { readZip } from '../../testing/read-zip.ts';
import { writeZip, type ZipEntry } from './write-zip.ts';

const lastModified = new Date(2026, 10, 24, 13, 45, 31);

async function* list(entries: ZipEntry[]) {
  yield* entries;
}

test('an archive is byte for byte what client-zip writes, and can be read', async () => {
  async function* inPieces() {
    yield Buffer.from('first ');
    yield Buffer.alloc(0);
    yield Buffer.from('second');
  }
  const make = (): ZipEntry[] => [
    { name: 'größe 長さ.txt', input: 'déjà vu', lastModified },
    { name: 'pieces.bin', input: inPieces(), lastModified: new Date(1999, 0, 1) },
    { name: 'empty', input: '', lastModified },
    ...Array.from({ length: 300 }, (_, i) => ({ name: `${i}.txt`, input: 'x'.repeat(i), lastModified })),
  ];
  const own = await buffer(writeZip(list(make())));
  expect(own.equals(Buffer.from(await new Response(makeZip(list(make()))).arrayBuffer()))).toBe(true);
  const entries = await readZip(own);
  expect(entries.slice(0, 3).map(({ name, data }) => [name, String(data)])).toEqual([
    ['größe 長さ.txt', 'déjà vu'],
    ['pieces.bin', 'first second'],
    ['empty', ''],
  ]);
});

test('what is beyond four gigabytes has its sizes and offsets in 64 bits, as client-zip writes them', async () => {
  const piece = Buffer.alloc(2 ** 26, 7);
  /** A file of so many times 64 MiB. */
  async function* repeat(times: number) {
    for (let i = 0; i < times; i++) yield piece;
  }
  const entries = [
    { name: 'small', input: 'a', lastModified },
    { name: 'large', input: repeat(64), lastModified },
    { name: 'behind', input: 'b', lastModified },
  ];
  let length = 0;
  const tail: Buffer[] = [];
  for await (const bytes of writeZip(list(entries))) {
    if (bytes !== piece) tail.push(bytes);
    length += bytes.length;
  }
  // Where each thing is, by the specification: local heads of 30 bytes, descriptors of 16 and of 24.
  const large = 30 + 5 + 1 + 16;
  const behind = large + 30 + 5 + 2 ** 32 + 24;
  const directory = behind + 30 + 6 + 1 + 16;
  const end = Buffer.concat(tail).subarray(-(46 + 5 + 46 + 5 + 28 + 4 + 46 + 6 + 12 + 56 + 20 + 22 - 4));
  const listedLarge = end.subarray(51);
  expect(listedLarge.readUInt32LE(20)).toBe(0xffff_ffff);
  const extraOfLarge = listedLarge.subarray(46 + 5);
  expect([extraOfLarge.readUInt16LE(0), extraOfLarge.readUInt16LE(2)]).toEqual([1, 24]);
  expect([4, 12, 20].map((place) => Number(extraOfLarge.readBigUInt64LE(place)))).toEqual([2 ** 32, 2 ** 32, large]);
  const listedBehind = extraOfLarge.subarray(28);
  expect([listedBehind.readUInt32LE(24), listedBehind.readUInt32LE(42)]).toEqual([1, 0xffff_ffff]);
  expect(Number(listedBehind.readBigUInt64LE(46 + 6 + 4))).toBe(behind);
  const end64 = end.subarray(-(56 + 20 + 22));
  expect([24, 32].map((place) => Number(end64.readBigUInt64LE(place)))).toEqual([3, 3]);
  expect(Number(end64.readBigUInt64LE(48))).toBe(directory);
  expect(Number(end64.readBigUInt64LE(56 + 8))).toBe(length - 98);
});

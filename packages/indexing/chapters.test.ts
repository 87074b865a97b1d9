import { readFile, writeFile } from 'node:fs/promises';
import { readChapters } from '@media-search/media/chapters';
import { describe, expect, test } from 'vitest';
import { makeVideo, plain } from '../media/samples/draw-media.ts';
import { temporaryFolder } from '../media/testing/temporary-folder.ts';
import { indexFile } from './testing/index-file.ts';

const scenes = [plain(30, 60, 200), plain(200, 20, 20)].map((paint) => ({ paint, seconds: 2 }));

/** An MP4 with Nero's list of chapters at the end of its header, whose times count hundreds of nanoseconds. */
async function withNeroChapters(file: string, chapters: [at: number, title: string][]): Promise<void> {
  await makeVideo(file, { scenes });
  const bytes = await readFile(file);
  const entries = chapters.map(([at, title]) => {
    const name = Buffer.from(title);
    const entry = Buffer.alloc(9 + name.length);
    entry.writeBigUInt64BE(BigInt(at * 1e7));
    entry[8] = name.length;
    name.copy(entry, 9);
    return entry;
  });
  const list = Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, chapters.length]), ...entries]);
  await replaceHeader(file, bytes, (header) => Buffer.concat([header, box('udta', box('chpl', list))]));
}

/** An MP4 whose video track refers to a track of text for its chapters, as QuickTime and iTunes write it. */
async function withChapterTrack(file: string, chapters: [at: number, title: string][]): Promise<void> {
  const subtitles = chapters.map(([at, text], i) => ({ start: at, end: chapters[i + 1]?.[0] ?? at + 1, text }));
  await makeVideo(file, { scenes, subtitles, subtitleFormat: 'mov_text' });
  const bytes = await readFile(file);
  const reference = box('tref', box('chap', Buffer.from([0, 0, 0, 2])));
  await replaceHeader(file, bytes, (header) => {
    const track = header.indexOf('trak') - 4;
    const length = header.readUInt32BE(track);
    header.writeUInt32BE(length + reference.length, track);
    return Buffer.concat([header.subarray(0, track + length), reference, header.subarray(track + length)]);
  });
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

async function replaceHeader(file: string, bytes: Buffer, change: (header: Buffer) => Buffer): Promise<void> {
  const moov = bytes.indexOf('moov') - 4;
  const header = change(Buffer.from(bytes.subarray(moov, moov + bytes.readUInt32BE(moov))));
  header.writeUInt32BE(header.length);
  // Put last, so that what it says of places in the file stays true; what it was is left free.
  bytes.write('free', moov + 4, 'latin1');
  await writeFile(file, Buffer.concat([bytes, header]));
}

const element = (id: number[], content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([...id, 0x10 | (content.length >> 24)]),
    Buffer.from(lengthBytes(content.length)),
    content,
  ]);
const lengthBytes = (length: number): number[] => [(length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff];

const matroskaChapter = (at: number, title: string, within: Buffer[] = []): Buffer => {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(at * 1e9));
  return element(
    [0xb6],
    Buffer.concat([
      element([0x91], time),
      element([0x80], Buffer.concat([element([0x85], Buffer.from(title)), element([0x43, 0x7c], Buffer.from('eng'))])),
      ...within,
    ]),
  );
};

/** A Matroska file with chapters at the end of its segment. */
async function withMatroskaChapters(file: string, chapters: Buffer[]): Promise<void> {
  await makeVideo(file, { scenes });
  const bytes = await readFile(file);
  const added = element([0x10, 0x43, 0xa7, 0x70], element([0x45, 0xb9], Buffer.concat(chapters)));
  const segment = bytes.indexOf(Buffer.from([0x18, 0x53, 0x80, 0x67])) + 4;
  const size = bytes.readBigUInt64BE(segment) + BigInt(added.length);
  bytes.writeBigUInt64BE(size, segment);
  await writeFile(file, Buffer.concat([bytes, added]));
}

describe('titles of chapters', () => {
  test.each([
    ['QuickTime', withChapterTrack],
    ['Nero', withNeroChapters],
  ])('are read from MP4 as %s writes them, and found where their chapters begin', async (_, write) => {
    await using folder = await temporaryFolder();
    const file = folder.file('film.mp4');
    await write(file, [
      [0, 'Opening'],
      [2.5, 'Die Überfahrt'],
    ]);
    expect(await readChapters(file, 'mov,mp4,m4a,3gp,3g2,mj2')).toEqual([
      { start: 0, end: 1, text: 'Opening' },
      { start: 2.5, end: 3.5, text: 'Die Überfahrt' },
    ]);
    const { texts } = await indexFile(file, folder.path, { filename: 'film.mp4' });
    expect(texts).toMatchObject([
      { source: 'chapter', text: 'Opening' },
      { source: 'chapter', text: 'Die Überfahrt' },
    ]);
  });

  test('are read from Matroska, nested ones too', async () => {
    await using folder = await temporaryFolder();
    const file = folder.file('film.mkv');
    await withMatroskaChapters(file, [
      matroskaChapter(0, 'Opening', [matroskaChapter(0.5, 'Credits')]),
      matroskaChapter(2, '終わり'),
    ]);
    expect(await readChapters(file, 'matroska,webm')).toEqual([
      { start: 0, end: 1, text: 'Opening' },
      { start: 0.5, end: 1.5, text: 'Credits' },
      { start: 2, end: 3, text: '終わり' },
    ]);
  });

  test('are none in files without, other containers, and damaged ones', async () => {
    await using folder = await temporaryFolder();
    for (const [name, container] of [
      ['none.mp4', 'mov,mp4,m4a,3gp,3g2,mj2'],
      ['none.mkv', 'matroska,webm'],
      ['none.avi', 'avi'],
    ] as const) {
      await makeVideo(folder.file(name), { scenes, ...(name.endsWith('avi') ? { codec: 'mpeg4' as const } : {}) });
      expect(await readChapters(folder.file(name), container)).toEqual([]);
      await writeFile(folder.file(name), (await readFile(folder.file(name))).subarray(0, 700));
      expect(await readChapters(folder.file(name), container)).toEqual([]);
      expect(await readChapters(folder.file('missing'), container)).toEqual([]);
    }
    // A header of nothing but boxes: work for each is little enough that a million of them take no time.
    const boxes = folder.file('boxes.mp4');
    const [type, track] = [box('ftyp', Buffer.from('isom')), box('trak', Buffer.alloc(0))];
    await writeFile(boxes, Buffer.concat([type, box('moov', Buffer.concat(Array<Buffer>(1_000_000).fill(track)))]));
    expect(await readChapters(boxes, 'mov,mp4,m4a,3gp,3g2,mj2')).toEqual([]);
    const cut = folder.file('cut.mkv');
    await withMatroskaChapters(cut, [matroskaChapter(0, 'Whole'), matroskaChapter(1, 'Cut off')]);
    const whole = await readFile(cut);
    for (let missing = 1; missing < 60; missing++) {
      await writeFile(cut, whole.subarray(0, whole.length - missing));
      const [first] = await readChapters(cut, 'matroska,webm');
      if (first) expect(first.text).toBe('Whole');
    }
  });
});

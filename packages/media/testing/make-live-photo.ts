import { readFile, writeFile } from 'node:fs/promises';

/** EXIF whose maker's notes are Apple's, with what the photograph belongs to. */
function drawExif({ content, burst }: { content?: string; burst?: string }): Buffer {
  const texts = [
    [0x0b, burst],
    [0x11, content],
  ].flatMap(([tag, text]) => (text === undefined ? [] : [{ tag: Number(tag), text: Buffer.from(`${text}\0`) }]));
  const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
  const u32 = (value: number) => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);
  const directory = (entries: Buffer[]) => Buffer.concat([u16(entries.length), ...entries, u32(0)]);
  const entry = (tag: number, type: number, count: number, value: number) =>
    Buffer.concat([u16(tag), u16(type), u32(count), u32(value)]);
  const noteHead = Buffer.from('Apple iOS\0\0\u0001MM', 'latin1');
  let at = noteHead.length + 2 + 12 * texts.length + 4;
  const fields = texts.map(({ tag, text }) => {
    const field = entry(tag, 2, text.length, at);
    at += text.length;
    return field;
  });
  const note = Buffer.concat([noteHead, directory(fields), ...texts.map(({ text }) => text)]);
  // The head of the TIFF, the first directory, and that of EXIF with the notes behind it.
  const [first, exif, notes] = [8, 8 + 18, 8 + 18 + 18];
  return Buffer.concat([
    Buffer.from('MM\0*', 'latin1'),
    u32(first),
    directory([entry(0x8769, 4, 1, exif)]),
    directory([entry(0x927c, 7, note.length, notes)]),
    note,
  ]);
}

/** Makes a JPEG one of an iPhone: a part of a Live Photo (`content`), or of a burst. */
export async function addAppleNotes(file: string, notes: { content?: string; burst?: string }): Promise<void> {
  const jpeg = await readFile(file);
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), drawExif(notes)]);
  const head = Buffer.from([0xff, 0xe1, (exif.length + 2) >> 8, (exif.length + 2) & 255]);
  await writeFile(file, Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]));
}

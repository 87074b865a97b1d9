/** Writes small raw photographs of each form, with a picture where its cameras put it, and without raw pixels. */

type Value = string | number | number[] | Buffer | Directory;
/** Values by tag: a text, numbers as longs, one number as a short, bytes, or another directory. */
type Directory = { [tag: number]: Value };

/** Writes a TIFF in which directories follow one another, those below them behind. `magic`: the two or more bytes after the order of bytes. */
function writeTiff(order: 'II' | 'MM', directories: Directory[], { magic = 42, head = Buffer.alloc(0) } = {}): Buffer {
  const isLittle = order === 'II';
  const u16 = (value: number) => {
    const bytes = Buffer.alloc(2);
    if (isLittle) bytes.writeUInt16LE(value);
    else bytes.writeUInt16BE(value);
    return bytes;
  };
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (isLittle) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const parts: Buffer[] = [head];
  let length = 8 + head.length;
  const put = (bytes: Buffer): number => {
    const at = length;
    parts.push(bytes, Buffer.alloc(bytes.length % 2));
    length += bytes.length + (bytes.length % 2);
    return at;
  };
  function putDirectory(directory: Directory, next: number): number {
    const fields = Object.entries(directory).map(([tag, value]) => {
      const [type, count, bytes] =
        typeof value === 'string'
          ? [2, value.length + 1, Buffer.from(`${value}\0`, 'latin1')]
          : typeof value === 'number'
            ? [3, 1, u16(value)]
            : Array.isArray(value)
              ? [4, value.length, Buffer.concat(value.map(u32))]
              : Buffer.isBuffer(value)
                ? [7, value.length, value]
                : [4, 1, u32(putDirectory(value, 0))];
      const inside = bytes.length > 4 ? u32(put(bytes)) : Buffer.concat([bytes, Buffer.alloc(4 - bytes.length)]);
      return Buffer.concat([u16(Number(tag)), u16(type), u32(count), inside]);
    });
    return put(Buffer.concat([u16(fields.length), ...fields, u32(next)]));
  }
  const first = directories.toReversed().reduce((next, directory) => putDirectory(directory, next), 0);
  return Buffer.concat([Buffer.from(order, 'latin1'), u16(magic), u32(first), ...parts]);
}

/** A tag whose two longs say where bytes lie; they are put at the end of the file, and their place in the directory. */
function append(tiff: (place: number) => Buffer, bytes: Buffer): Buffer {
  const { length } = tiff(0xffffff);
  return Buffer.concat([tiff(length), bytes]);
}

const common = (make: string, model: string, orientation: number): Directory => ({
  0x10f: make,
  0x110: model,
  0x112: orientation,
  0x8769: { 0x9003: '2026:07:14 21:12:08', 0x9011: '+02:00', 0xa434: 'Test Lens 50mm' },
  0x8825: {
    1: 'N',
    2: rationals([53, 32, 45]),
    3: 'E',
    4: rationals([9, 58, 10]),
  },
});

/** Rationals as bytes would need a type of their own; see `asRationals`. */
const rationals = (values: number[]): number[] => values.flatMap((value) => [value, 1]);

/** Makes lists of longs in the directory of the position rationals: half as many, of type 5. */
function asRationals(file: Buffer, isLittle: boolean): Buffer {
  for (const tag of [2, 4]) {
    const pattern = Buffer.alloc(8);
    if (isLittle) {
      pattern.writeUInt16LE(tag, 0);
      pattern.writeUInt16LE(4, 2);
      pattern.writeUInt32LE(6, 4);
    } else {
      pattern.writeUInt16BE(tag, 0);
      pattern.writeUInt16BE(4, 2);
      pattern.writeUInt32BE(6, 4);
    }
    const at = file.indexOf(pattern);
    if (isLittle) {
      file.writeUInt16LE(5, at + 2);
      file.writeUInt32LE(3, at + 4);
    } else {
      file.writeUInt16BE(5, at + 2);
      file.writeUInt32BE(3, at + 4);
    }
  }
  return file;
}

/** Behind which the raw pixels would be: of a colour filter array, coded as lossless JPEG. */
const losslessJpeg = Buffer.from('ffd8ffc3001108ffffffff0311001101110211003f00ffd9', 'hex');

const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
};

function makeCr3({ preview, small, orientation }: Pictures): Buffer {
  const { 0x8769: exif, 0x8825: gps, ...main } = common('Canon', 'Canon EOS R5', orientation);
  const tagsBox = box(
    'uuid',
    Buffer.from('85c0b687820f11e08111f4ce462b6a48', 'hex'),
    box('CMT1', writeTiff('II', [main])),
    box('CMT2', writeTiff('II', [exif as Directory])),
    box('CMT4', asRationals(writeTiff('II', [gps as Directory]), true)),
  );
  const u32 = (...values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
    return bytes;
  };
  const track = (at: number, length: number) =>
    box(
      'trak',
      box('mdia', box('minf', box('stbl', box('stsz', u32(0, 0, 1, length)), box('co64', u32(0, 1, 0, at))))),
    );
  const start = box('ftyp', Buffer.from('crx \0\0\0\u0001crx isom', 'latin1'));
  const prvw = box(
    'uuid',
    Buffer.from('eaf42b5e1c984b88b9fbb7dc406e4d16', 'hex'),
    u32(0, 1),
    box('PRVW', Buffer.alloc(16), small),
  );
  const file = (at: number) =>
    Buffer.concat([
      start,
      box('moov', tagsBox, track(at, preview.length), track(at + preview.length, losslessJpeg.length)),
      prvw,
      box('mdat', preview, losslessJpeg),
    ]);
  const at = file(0).length - preview.length - losslessJpeg.length;
  return file(at);
}

/** Olympus' notes: the place of the preview counts from their beginning. */
function makeOrf({ preview, orientation }: Pictures): Buffer {
  const note = (place: number) => {
    const start = Buffer.from('OLYMPUS\0II\u0003\0', 'latin1');
    const field = (tag: number, type: number, value: number) => {
      const bytes = Buffer.alloc(12);
      bytes.writeUInt16LE(tag, 0);
      bytes.writeUInt16LE(type, 2);
      bytes.writeUInt32LE(1, 4);
      bytes.writeUInt32LE(value, 8);
      return bytes;
    };
    const count = (of: number) => Buffer.from([of, 0]);
    const main = Buffer.concat([count(1), field(0x2020, 13, 30), Buffer.alloc(4)]);
    const settings = Buffer.concat([
      count(2),
      field(0x101, 4, place),
      field(0x102, 4, preview.length),
      Buffer.alloc(4),
    ]);
    return Buffer.concat([start, main, settings]);
  };
  const { 0x8769: exif, ...rest } = common('OLYMPUS CORPORATION', 'E-M1', orientation);
  const file = (place: number) => {
    const directory = { ...rest, 0x8769: { ...(exif as Directory), 0x927c: note(place) } };
    return asRationals(writeTiff('II', [directory], { magic: 0x4f52 }), true);
  };
  const made = file(0);
  return Buffer.concat([file(made.length - made.indexOf('OLYMPUS\0II')), preview]);
}

export type RawForm = 'cr2' | 'cr3' | 'nef' | 'arw' | 'dng' | 'raf' | 'orf' | 'rw2';

/** Where the pictures of a photograph lie. */
type Places = { small: number; large: number; raw: number };
type Pictures = { preview: Buffer; small: Buffer; orientation: number };

const strips = (at: number, { length }: Buffer): Directory => ({ 0x111: [at], 0x117: [length] });
const jpeg = (at: number, { length }: Buffer): Directory => ({ 0x201: [at], 0x202: [length] });
/** The directory of raw pixels. */
const pixels = (at: number, compression: number): Directory => ({
  ...strips(at, losslessJpeg),
  0x103: compression,
  0x106: 32_803,
});

/** A TIFF with the small picture, the large one and the raw pixels behind its directories. */
function makeTiff(
  order: 'II' | 'MM',
  { preview, small }: Pictures,
  directories: (at: Places) => Directory[],
  options = {},
): Buffer {
  const at = (start: number): Places => ({
    small: start,
    large: start + small.length,
    raw: start + small.length + preview.length,
  });
  return append(
    (start) => asRationals(writeTiff(order, directories(at(start)), options), order === 'II'),
    Buffer.concat([small, preview, losslessJpeg]),
  );
}

const makers: Record<RawForm, (pictures: Pictures) => Buffer> = {
  cr2: (pictures) =>
    makeTiff(
      'II',
      pictures,
      (at) => [
        { ...common('Canon', 'Canon EOS 5D', pictures.orientation), 0x103: 6, ...strips(at.large, pictures.preview) },
        jpeg(at.small, pictures.small),
        { 0x103: 6, ...strips(at.raw, losslessJpeg) },
      ],
      { head: Buffer.from('CR\u0002\0\0\0\0\0', 'latin1') },
    ),
  nef: (pictures) =>
    makeTiff('MM', pictures, (at) => [
      {
        ...common('NIKON CORPORATION', 'NIKON D850', pictures.orientation),
        0x14a: jpeg(at.large, pictures.preview),
        ...strips(at.small, pictures.small),
      },
      pixels(at.raw, 34_713),
    ]),
  arw: (pictures) =>
    makeTiff('II', pictures, (at) => [
      {
        ...common('SONY', 'ILCE-7M4', pictures.orientation),
        ...jpeg(at.large, pictures.preview),
        0x14a: pixels(at.raw, 32_767),
      },
      jpeg(at.small, pictures.small),
    ]),
  dng: (pictures) =>
    makeTiff('II', pictures, (at) => [
      {
        ...common('Apple', 'iPhone 15 Pro', pictures.orientation),
        0xc612: Buffer.from([1, 4, 0, 0]),
        0x14a: { 0xfe: 1, 0x103: 7, 0x106: 6, ...strips(at.large, pictures.preview) },
        ...strips(at.raw, losslessJpeg),
      },
    ]),
  rw2: ({ preview, orientation }) =>
    asRationals(
      writeTiff('II', [{ ...common('Panasonic', 'DC-GH6', orientation), 0x2e: preview }], { magic: 0x55 }),
      true,
    ),
  raf({ preview }) {
    const head = Buffer.alloc(148);
    head.write('FUJIFILMCCD-RAW 0201FF129506X-T4', 'latin1');
    head.writeUInt32BE(148, 84);
    head.writeUInt32BE(preview.length, 88);
    return Buffer.concat([head, preview, losslessJpeg]);
  },
  orf: makeOrf,
  cr3: makeCr3,
};

/**
 * A raw photograph.
 * @param preview a JPEG, the largest in it
 * @param small a smaller JPEG, which stands beside it in most forms
 * @param orientation as EXIF numbers it; RAF has it in its preview only
 */
export const makeRaw = (form: RawForm, preview: Buffer, small: Buffer, orientation = 1): Buffer =>
  makers[form]({ preview, small, orientation });

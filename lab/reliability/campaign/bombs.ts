import { crc32, deflateSync } from 'node:zlib';
import type { Seed } from './hostile-seeds.ts';

/** Small files that claim to be, or decompress to, something very large. `frames`: the most that they really contain. */
export function makeBombs(): Seed[] {
  return [
    { name: 'gif-of-100000-frames.gif', frames: 100_000, bytes: gifOf(100_000, 1, 1) },
    { name: 'gif-of-500-large-frames.gif', frames: 500, bytes: gifOf(500, 8000, 8000) },
    { name: 'gif-of-one-large-frame.gif', frames: 1, bytes: largeGif(16_000) },
    { name: 'gif-of-a-large-screen.gif', frames: 2, bytes: gifOf(2, 65_535, 65_535) },
    { name: 'apng-of-20000-frames.png', frames: 20_000, bytes: apngOf(20_000) },
    { name: 'png-of-20000-by-20000.png', frames: 1, bytes: pngOf(20_000, 20_000, true) },
    { name: 'png-that-claims-2-31.png', frames: 1, bytes: pngOf(2 ** 31 - 1, 2 ** 31 - 1, false) },
    { name: 'png-with-a-large-text.png', frames: 1, bytes: pngWithText() },
    { name: 'bmp-of-65535-by-65535.bmp', frames: 1, bytes: bitmapOf(65_535, 65_535) },
    { name: 'bmp-of-negative-height.bmp', frames: 1, bytes: bitmapOf(100, -(2 ** 31)) },
    { name: 'tiff-that-loops.tiff', frames: 1, bytes: tiffLoop() },
    { name: 'nested-boxes.mp4', frames: 1, bytes: nestedBoxes(20_000) },
    { name: 'nested-elements.mkv', frames: 1, bytes: nestedElements(20_000) },
    {
      name: 'many-tracks.mp4',
      frames: 1,
      bytes: Buffer.concat([
        ftyp,
        box('moov', Buffer.concat(Array.from({ length: 20_000 }, () => box('trak', Buffer.alloc(0))))),
      ]),
    },
  ];
}

function gifOf(frames: number, width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  // A control block of 10 ms, and an image of one pixel.
  const frame = Buffer.from('21f9040001000000002c0000000001000100000202440100', 'hex');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')]);
}

/** One frame of so many pixels on each side, in 35 bytes. */
function largeGif(side: number): Buffer {
  const file = Buffer.from('47494638396100000000800000000000ffffff2c00000000000000000002024401003b', 'hex');
  for (const at of [6, 8, 24, 26]) file.writeUInt16LE(side, at);
  return file;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** One bit a pixel, greyscale. */
function imageHeader(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = 1;
  return pngChunk('IHDR', data);
}

function pngOf(width: number, height: number, full: boolean): Buffer {
  const pixels = full ? Buffer.alloc((1 + Math.ceil(width / 8)) * height) : Buffer.alloc(100);
  return Buffer.concat([
    signature,
    imageHeader(width, height),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngWithText(): Buffer {
  const text = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(200 * 2 ** 20, 'a'))]);
  const pixels = deflateSync(Buffer.alloc(2 * 8));
  return Buffer.concat([
    signature,
    imageHeader(8, 8),
    pngChunk('zTXt', text),
    pngChunk('iCCP', text),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function apngOf(frames: number): Buffer {
  const control = (number: number) => {
    const data = Buffer.alloc(26);
    data.writeUInt32BE(number, 0);
    data.writeUInt32BE(8, 4);
    data.writeUInt32BE(8, 8);
    data.writeUInt16BE(1, 20);
    data.writeUInt16BE(100, 22);
    return pngChunk('fcTL', data);
  };
  const count = Buffer.alloc(8);
  count.writeUInt32BE(frames, 0);
  const pixels = deflateSync(Buffer.alloc(2 * 8));
  const parts = [signature, imageHeader(8, 8), pngChunk('acTL', count), control(0), pngChunk('IDAT', pixels)];
  for (let i = 1; i < frames; i++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(2 * i, 0);
    parts.push(control(2 * i - 1), pngChunk('fdAT', Buffer.concat([number, pixels])));
  }
  return Buffer.concat([...parts, pngChunk('IEND', Buffer.alloc(0))]);
}

function bitmapOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(1000);
  head.write('BM', 'latin1');
  head.writeUInt32LE(54, 10);
  head.writeUInt32LE(40, 14);
  head.writeUInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return head;
}

/** An image directory that refers to itself as the next one. */
function tiffLoop(): Buffer {
  const file = Buffer.alloc(26);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(1, 8);
  file.writeUInt16LE(256, 10);
  file.writeUInt16LE(4, 12);
  file.writeUInt32LE(1, 14);
  file.writeUInt32LE(8, 18);
  file.writeUInt32LE(8, 22);
  return file;
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));

function nestedBoxes(depth: number): Buffer {
  const heads = Array.from({ length: depth }, (_, i) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 * (depth - i), 0);
    head.write(i === 0 ? 'moov' : 'trak', 4, 'latin1');
    return head;
  });
  return Buffer.concat([ftyp, ...heads]);
}

function nestedElements(depth: number): Buffer {
  const head = Buffer.from('1a45dfa3a3428681014287810142f2810442f381084282886d6174726f736b614287810442858102', 'hex');
  // Nested segments of unknown length.
  return Buffer.concat([head, ...Array.from({ length: depth }, () => Buffer.from('1853806701ffffffffffffff', 'hex'))]);
}

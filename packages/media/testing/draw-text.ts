import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import sharp from 'sharp';
import type { RgbImage } from '../rgb-image.ts';

/** A line of text in a drawn picture. */
export type DrawnLine = {
  text: string;
  /** The left and the top end of its letters, pixels. */
  left: number;
  top: number;
  /** Font size, pixels. */
  size: number;
  /** Black unless said. */
  colour?: string;
  /** Degrees clockwise. */
  turned?: number;
};

/** Draws lines over a picture. The font comes with Chromium's package, so a machine without fonts will do. */
export async function drawText(picture: RgbImage, lines: DrawnLine[]): Promise<RgbImage> {
  const raw = { width: picture.width, height: picture.height, channels: 3 } as const;
  const layers = await Promise.all(
    lines.map(async ({ left, top, ...line }) => ({ input: await drawLine(line), left, top })),
  );
  const data = await sharp(picture.data, { raw }).composite(layers).removeAlpha().raw().toBuffer();
  return { width: picture.width, height: picture.height, data };
}

async function drawLine({
  text,
  size,
  colour = '#000000',
  turned = 0,
}: Omit<DrawnLine, 'left' | 'top'>): Promise<Buffer> {
  const markup = `<span foreground="${colour}">${text}</span>`;
  const line = sharp({
    text: { text: markup, font: `Open Sans ${size}`, fontfile: await unpackFont(), dpi: 72, rgba: true },
  });
  const drawn = await line.png().toBuffer();
  return turned === 0 ? drawn : sharp(drawn).rotate(turned, { background: '#00000000' }).png().toBuffer();
}

let unpacking: Promise<string> | undefined;

/** Unpacks the font once. @returns its path */
const unpackFont = (): Promise<string> =>
  (unpacking ??= (async () => {
    const packed =
      createRequire(import.meta.url)
        .resolve('@sparticuz/chromium')
        .split('@sparticuz')[0] ?? '';
    const archive = await promisify(brotliDecompress)(
      await readFile(path.join(packed, '@sparticuz/chromium/bin/fonts.tar.br')),
    );
    const folder = path.join(tmpdir(), `media-search-fonts-${process.getuid?.() ?? 0}`);
    const file = path.join(folder, `OpenSans-${process.pid}.ttf`);
    await mkdir(folder, { recursive: true });
    await writeFile(file, findInTar(archive, 'OpenSans-Regular.ttf'));
    return file;
  })());

/** A file in a tar archive, by the end of its name (POSIX.1-1988: blocks of 512 bytes, a header before each file). */
function findInTar(archive: Buffer, name: string): Buffer {
  for (let at = 0; at + 512 <= archive.length;) {
    const field = (start: number, length: number) =>
      archive.toString('latin1', at + start, at + start + length).replace(/\0.*$/s, '');
    const length = Number.parseInt(field(124, 12), 8) || 0;
    if (field(0, 100).endsWith(name)) return archive.subarray(at + 512, at + 512 + length);
    at += 512 * (1 + Math.ceil(length / 512));
  }
  throw new Error(`The archive has no ${name}.`);
}

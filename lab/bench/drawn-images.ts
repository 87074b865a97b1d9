import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import {
  fontNames,
  layLine,
  loadFonts,
  pickWord,
  type FontName,
  type Fonts,
  type Line,
  type Random,
} from './glyphs.ts';
import { halfOf } from './halves.ts';
import { isPhotograph } from './judged.ts';
import { createRandom } from './shot-films.ts';

/** Images with words that are known, over photographs, and images without any. */

/** `development` may be looked at while something is built; `test` is what is reported. They share no photograph. */
export type Split = 'development' | 'test';
/** Fractions (0..1) of the image. */
export type Box = { x: number; y: number; width: number; height: number };
export type DrawnWord = {
  text: string;
  /** Upright box around the ink. */
  box: Box;
  /** Pixels from the top of `d` to the foot of `p` in this font. */
  height: number;
  /** Difference of brightness between letters and ground, 0..1. */
  contrast: number;
  /** Degrees. */
  rotation: number;
  font: FontName;
};
export type DrawnImage = { name: string; jpeg: Buffer; words: DrawnWord[] };

type Size = { width: number; height: number };
type Block = { line: Line; height: number; rotation: number; font: FontName; x: number; y: number };

const sizes: Size[] = [
  { width: 1280, height: 720 },
  { width: 960, height: 1280 },
  { width: 1600, height: 1200 },
  { width: 1920, height: 1080 },
];
/** Classes of height that follow each other, so that each has as many lines. Pixels. */
const heights = [
  [10, 16],
  [16, 24],
  [24, 80],
] as const;

const between = (random: Random, low: number, high: number): number => low + (high - low) * random();
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const clamp = (value: number): number => Math.min(255, Math.max(0, value));

/** The photographs of a split that hold no writing of their own. */
export async function listBlankPhotographs(folder: string, split: Split): Promise<string[]> {
  const written = new Set((await readFile(new URL('photographs-with-text.txt', import.meta.url), 'utf8')).split('\n'));
  const half = split === 'development' ? 'first' : 'second';
  const names = (await readdir(folder)).filter((name) => isPhotograph(name) && !written.has(name)).toSorted();
  return names.filter((name) => halfOf(name) === half).map((name) => path.join(folder, name));
}

/** Images with three to five lines each, of one to four words. */
export async function* drawImages(photographs: string[], split: Split, count: number): AsyncGenerator<DrawnImage> {
  const random = createRandom(split === 'development' ? 1701 : 90_210);
  const fonts = await loadFonts();
  let next = 0;
  for (let i = 0; i < count; i++) {
    const size = pick(random, sizes);
    const ground = await readGround(photographs[i % photographs.length] as string, size);
    const blocks: Block[] = [];
    const lines = 3 + Math.floor(random() * 3);
    for (let k = 0; k < lines; k++) {
      const [low, high] = heights[next++ % heights.length] as [number, number];
      const height = low * (high / low) ** random();
      const block = placeBlock(random, fonts, blocks, size, height);
      if (block) blocks.push(block);
    }
    yield await render(random, `${split} ${i}`, ground, size, blocks);
  }
}

/** Photographs as they are, at the sizes of the others, and patterns with the edges that letters have. */
export async function* drawBlanks(photographs: string[], split: Split, count: number): AsyncGenerator<DrawnImage> {
  const random = createRandom(split === 'development' ? 4242 : 777);
  for (let i = 0; i < count; i++) {
    const size = pick(random, sizes);
    const pattern = i % 5 === 4;
    const image = pattern
      ? sharp(drawPattern(random, size))
      : sharp(await readGround(photographs[i % photographs.length] as string, size), { raw: { ...size, channels: 3 } });
    const name = pattern ? `${split} pattern ${i}` : path.basename(photographs[i % photographs.length] as string);
    yield { name, jpeg: await image.jpeg({ quality: 85 }).toBuffer(), words: [] };
  }
}

const readGround = (file: string, { width, height }: Size): Promise<Buffer> =>
  sharp(file).autoOrient().resize(width, height, { fit: 'cover' }).toColourspace('srgb').removeAlpha().raw().toBuffer();

/** A line at a place where no other is; null where none is found. */
function placeBlock(random: Random, fonts: Fonts, others: Block[], size: Size, height: number): Block | null {
  const font = pick(random, fontNames);
  const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pickWord(random));
  const rotation = random() < 0.5 ? 0 : between(random, -10, 10);
  let line = layLine(fonts[font], words, height);
  while (line.width > size.width * 0.85 && words.length > 1) {
    words.pop();
    line = layLine(fonts[font], words, height);
  }
  const half = halfExtent(line, height, rotation);
  for (let tries = 0; tries < 60; tries++) {
    const x = between(random, half.x, size.width - half.x);
    const y = between(random, half.y, size.height - half.y);
    const free = others.every((other) => {
      const theirs = halfExtent(other.line, other.height, other.rotation);
      return Math.abs(other.x - x) > half.x + theirs.x || Math.abs(other.y - y) > half.y + theirs.y;
    });
    if (free && half.x * 2 < size.width) return { line, height, rotation, font, x, y };
  }
  return null;
}

/** Half the sides of the upright box around a rotated line with its margin, pixels. */
function halfExtent({ width }: Line, height: number, rotation: number): { x: number; y: number } {
  const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.abs(Math.sin((rotation * Math.PI) / 180))];
  const [wide, high] = [width / 2 + height * 0.7, height * 1.2];
  return { x: wide * cos + high * sin, y: wide * sin + high * cos };
}

async function render(random: Random, name: string, ground: Buffer, size: Size, blocks: Block[]): Promise<DrawnImage> {
  const words: DrawnWord[] = [];
  const shapes = blocks.map((block) => {
    const { svg, contrast } = paint(random, block, ground, size);
    words.push(...block.line.words.map(({ text, box }) => locate(block, text, box, contrast, size)));
    return svg;
  });
  const overlay = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${shapes.join('')}</svg>`;
  const drawn = await sharp(ground, { raw: { ...size, channels: 3 } })
    .composite([{ input: Buffer.from(overlay) }])
    .removeAlpha()
    .raw()
    .toBuffer();
  const image = sharp(drawn, { raw: { ...size, channels: 3 } });
  // Every third is a little out of focus.
  if (random() < 1 / 3) image.blur(between(random, 0.4, 0.8));
  return { name, jpeg: await image.jpeg({ quality: Math.round(between(random, 70, 95)) }).toBuffer(), words };
}

/** A line on a plate, straight on the photograph, or outlined as captions are. */
function paint(random: Random, block: Block, ground: Buffer, size: Size): { svg: string; contrast: number } {
  const { line, height, rotation, x, y } = block;
  const place = `transform="translate(${x} ${y}) rotate(${rotation}) translate(${-line.width / 2} ${-height / 2})"`;
  const wanted = between(random, 0.25, 1) * 255;
  const style = random();
  const { mean, deviation } = brightness(ground, size, block);
  if (style < 0.2) {
    const stroke = `stroke="black" stroke-width="${Math.max(1.5, height / 9)}" stroke-linejoin="round" paint-order="stroke"`;
    return { svg: `<path ${place} d="${line.path}" fill="white" ${stroke}/>`, contrast: 1 };
  }
  const difference = Math.max(wanted, 3 * deviation);
  const bare = style < 0.6 && (mean + difference <= 255 || mean - difference >= 0);
  if (bare) {
    const letters =
      mean - difference >= 0 && (random() < 0.5 || mean + difference > 255) ? mean - difference : mean + difference;
    return { svg: `<path ${place} d="${line.path}" fill="${tint(random, letters)}"/>`, contrast: difference / 255 };
  }
  const plate = between(random, 15, 240);
  const letters = clamp(plate < 128 ? plate + wanted : plate - wanted);
  const margin = height * between(random, 0.2, 0.6);
  const sides = `x="${-margin}" y="${-margin / 2}" width="${line.width + 2 * margin}" height="${height + margin}"`;
  const svg = `<g ${place}><rect ${sides} rx="${height / 8}" fill="${tint(random, plate)}"/><path d="${line.path}" fill="${tint(random, letters)}"/></g>`;
  return { svg, contrast: Math.abs(letters - plate) / 255 };
}

/** A colour of about a brightness (0..255). */
function tint(random: Random, brightness: number): string {
  const [red, blue] = [between(random, -30, 30), between(random, -30, 30)];
  const channels = [brightness + red, brightness - 0.3 * red - 0.1 * blue, brightness + blue];
  return `rgb(${channels.map((channel) => Math.round(clamp(channel))).join(',')})`;
}

/** Mean and standard deviation (0..255) of the ground around a line. */
function brightness(data: Buffer, { width, height }: Size, block: Block): { mean: number; deviation: number } {
  const half = halfExtent(block.line, block.height, block.rotation);
  let [sum, squares, count] = [0, 0, 0];
  for (let y = Math.max(0, Math.floor(block.y - half.y)); y < Math.min(height, block.y + half.y); y++) {
    for (let x = Math.max(0, Math.floor(block.x - half.x)); x < Math.min(width, block.x + half.x); x++) {
      const at = 3 * (y * width + x);
      const value = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  const mean = sum / count;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

/** Where a word of a line comes to lie in the image. */
function locate(block: Block, text: string, ink: Box, contrast: number, size: Size): DrawnWord {
  const angle = (block.rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [
    [ink.x, ink.y],
    [ink.x + ink.width, ink.y],
    [ink.x, ink.y + ink.height],
    [ink.x + ink.width, ink.y + ink.height],
  ].map(([x = 0, y = 0]) => {
    const [right, down] = [x - block.line.width / 2, y - block.height / 2];
    return {
      x: (block.x + right * cos - down * sin) / size.width,
      y: (block.y + right * sin + down * cos) / size.height,
    };
  });
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  const box = { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
  return { text, box, height: block.height, contrast, rotation: block.rotation, font: block.font };
}

/** Stripes, tiles, bricks, dots or a fence. */
function drawPattern(random: Random, { width, height }: Size): Buffer {
  const step = Math.round(between(random, 12, 60));
  const line = Math.max(1, Math.round(step * between(random, 0.06, 0.3)));
  const shape = pick(random, [
    `<rect width="${line}" height="${step}" fill="black"/>`,
    `<rect width="${step}" height="${step}" fill="none" stroke="black" stroke-width="${line}"/>`,
    `<path d="M0 0H${step}M0 ${step / 2}H${step}M${step / 2} 0V${step / 2}M0 ${step / 2}V${step}" stroke="black" stroke-width="${line}"/>`,
    `<circle cx="${step / 2}" cy="${step / 2}" r="${step / 3}" fill="none" stroke="black" stroke-width="${line}"/>`,
    `<path d="M0 0L${step} ${step}M${step} 0L0 ${step}" stroke="black" stroke-width="${line}"/>`,
  ]);
  const fill = tint(random, between(random, 120, 255));
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><pattern id="p" width="${step}" height="${step}" patternUnits="userSpaceOnUse">${shape}</pattern><rect width="100%" height="100%" fill="${fill}"/><rect width="100%" height="100%" fill="url(#p)"/></svg>`,
  );
}

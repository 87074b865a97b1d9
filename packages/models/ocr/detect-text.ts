import type { RgbImage } from '@media-search/media/rgb-image';
import sharp from 'sharp';
import { ocrModelFile, openOcrSession, type RunNetwork } from './open-ocr-session.ts';
import { findTextRegions, type ProbabilityMap, type TextRegion } from './text-regions.ts';

/** The network halves its input five times, so its sides are multiples of this. */
const sideMultiple = 32;
/** Longest side of what the network sees at once, pixels: beyond a million pixels time and memory grow faster than the area. */
const maxTileSide = 1024;
/** Pixels by which tiles reach beyond the part of the map that is taken from them: the network looks that far. */
const tileMargin = 64;

/** Mean and deviation of each channel that the network was trained with, in the order of its planes: blue, green, red. */
const channels = [
  { source: 2, mean: 0.485, deviation: 0.229 },
  { source: 1, mean: 0.456, deviation: 0.224 },
  { source: 0, mean: 0.406, deviation: 0.225 },
];

/** Finds the lines of text of a picture that is scaled so that its longer side is about `side`. @returns lines in pixels of the picture */
export type DetectText = (picture: RgbImage, side: number, signal: AbortSignal) => Promise<TextRegion[]>;

/** Loads the text detector (PP-OCRv4, mobile). Throws `ModelError`. */
export async function loadTextDetector(threads: number): Promise<DetectText> {
  const run = await openOcrSession(ocrModelFile('detection'), threads);
  return async (picture, side, signal) => {
    const scale = side / Math.max(picture.width, picture.height);
    const [width, height] = [toMultiple(picture.width * scale), toMultiple(picture.height * scale)];
    const pixels = await scaleTo(picture, width, height);
    const map: ProbabilityMap = { width, height, data: new Float32Array(width * height) };
    for (const rows of tilesOf(height)) {
      for (const columns of tilesOf(width)) {
        signal.throwIfAborted();
        await fillTile(run, pixels, map, columns, rows);
      }
    }
    return findTextRegions(map).map((region) => scaleRegion(region, picture.width / width, picture.height / height));
  };
}

const toMultiple = (length: number): number => Math.max(1, Math.round(length / sideMultiple)) * sideMultiple;

const scaleTo = ({ data, ...size }: RgbImage, width: number, height: number): Promise<Buffer> =>
  sharp(data, { raw: { width: size.width, height: size.height, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer();

/** What the network sees of one direction (`from` to `to`), and what is taken from it (`first` to `end`), pixels. */
type Tile = { from: number; to: number; first: number; end: number };

/** Tiles of like lengths that cover a length, a multiple of 32, and overlap each other. */
function tilesOf(length: number): Tile[] {
  const count = length <= maxTileSide ? 1 : Math.ceil(length / (maxTileSide - 2 * tileMargin));
  const place = (i: number) => Math.round((i * length) / count / sideMultiple) * sideMultiple;
  return Array.from({ length: count }, (_, i) => ({
    from: Math.max(0, place(i) - tileMargin),
    to: Math.min(length, place(i + 1) + tileMargin),
    first: place(i),
    end: place(i + 1),
  }));
}

/** Runs the network on a tile of the pixels and copies its middle to the map. */
async function fillTile(
  run: RunNetwork,
  pixels: Buffer,
  map: ProbabilityMap,
  columns: Tile,
  rows: Tile,
): Promise<void> {
  const [width, height] = [columns.to - columns.from, rows.to - rows.from];
  const planes = new Float32Array(3 * width * height);
  for (const [plane, { source, mean, deviation }] of channels.entries()) {
    let at = plane * width * height;
    for (let y = rows.from; y < rows.to; y++) {
      const row = (y * map.width + columns.from) * 3 + source;
      for (let x = 0; x < width; x++) planes[at++] = ((pixels[row + 3 * x] as number) / 255 - mean) / deviation;
    }
  }
  const output = await run(planes, [1, 3, height, width]);
  const probabilities = output.data as Float32Array;
  for (let y = rows.first; y < rows.end; y++) {
    const row = (y - rows.from) * width - columns.from;
    map.data.set(probabilities.subarray(row + columns.first, row + columns.end), y * map.width + columns.first);
  }
  output.dispose();
}

/** Scales a region. The scales of both directions differ by rounding only, so a rectangle stays one. */
function scaleRegion(region: TextRegion, across: number, down: number): TextRegion {
  const [cos, sin] = [Math.cos(region.angle) ** 2, Math.sin(region.angle) ** 2];
  return {
    ...region,
    centre: { x: region.centre.x * across, y: region.centre.y * down },
    width: region.width * (across * cos + down * sin),
    height: region.height * (across * sin + down * cos),
  };
}

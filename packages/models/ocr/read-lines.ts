import { readFile } from 'node:fs/promises';
import type { TextBox } from '@media-search/media/extracted-text';
import type { RgbImage } from '@media-search/media/rgb-image';
import { decodeCtc, type ReadCharacter } from './decode-ctc.ts';
import { loadTextDetector } from './detect-text.ts';
import { ocrModelFile, openOcrSession, unusable } from './open-ocr-session.ts';
import { cornersOf, type RotatedRectangle } from './rotated-rectangle.ts';
import { straighten } from './straighten.ts';
import type { TextRegion } from './text-regions.ts';

/** Height of the crops that the network was trained with, pixels. */
const lineHeight = 48;

/** Reads a line of text that is 48 pixels high. @returns its characters; a time step is eight pixels wide */
type RecogniseLine = (line: RgbImage) => Promise<ReadCharacter[]>;

/** Loads the text recogniser (PP-OCRv4, mobile: Chinese and English). Throws `ModelError`. */
async function loadLineRecogniser(threads: number): Promise<RecogniseLine> {
  const run = await openOcrSession(ocrModelFile('recognition'), threads);
  const characters = await readCharacters();
  return async ({ width, data }) => {
    const area = width * lineHeight;
    const planes = new Float32Array(3 * area);
    // Blue, green, red, as in training.
    for (let i = 0; i < area; i++) {
      for (let c = 0; c < 3; c++) planes[c * area + i] = (data[3 * i + 2 - c] as number) / 127.5 - 1;
    }
    const output = await run(planes, [1, 3, lineHeight, width]);
    const read = decodeCtc(output.data as Float32Array, output.dims[2] as number, characters);
    output.dispose();
    return read;
  };
}

/** The characters in order of their classes, one a line; the space, which has no line, is the last. */
async function readCharacters(): Promise<string[]> {
  const list = await readFile(ocrModelFile('characters'), 'utf8').catch((error: unknown) => {
    throw unusable(error);
  });
  return [...list.split('\n').filter((line) => line !== ''), ' '];
}

/**
 * Corrects characters that look like another in words: a zero among letters is an O (`0ver`, `ro0m`), a small L among capitals an I
 * (`DESlGN`). The recogniser sees shapes scaled to one height, and cannot know. Words with other digits stay as they are.
 */
export const repairLookalikes = (text: string): string =>
  text.replaceAll(/(?<![\p{L}\p{N}])[\p{Script=Latin}0]{4,}(?![\p{L}\p{N}])/gu, (word) => {
    const letters = word.replaceAll('0', '');
    if (letters.length < 3) return word;
    const capitals = letters.match(/\p{Lu}/gu)?.length ?? 0;
    const isUpperCase = capitals >= letters.length - 1;
    const repaired = word.replaceAll('0', (_, at: number) => (isUpperCase || at === 0 ? 'O' : 'o'));
    return isUpperCase ? repaired.replaceAll('l', 'I') : repaired;
  });

/** A line of text that a picture shows. */
export type ReadLine = {
  text: string;
  /** Mean probability of its characters, 0.8..1. */
  confidence: number;
  /** Around the line, which may be aslant. */
  box: TextBox;
};

/** How closely a picture is looked at. */
type ReadingDetail = {
  /** Lines that are looked at, those that are surest to be text first. */
  maxLines: number;
  /** How much smaller the picture is in which lines are looked for, 0..1: letters need ten pixels there. */
  scale: number;
  /** Where nothing is found at this scale, which takes half the time, nothing more is looked for. Letters from 20 pixels of 1080 on are. */
  firstScale?: number;
};

/** A photograph is read once and a video at a hundred moments, so a photograph is looked at more closely. */
export const photoDetail: ReadingDetail = { maxLines: 400, scale: 0.8 };
export const frameDetail: ReadingDetail = { maxLines: 100, scale: 2 / 3 };
/** The confidence of a frame that most likely has no text. */
export const emptyFrameDetail: ReadingDetail = { ...frameDetail, firstScale: 1 / 2 };

/** Reads the lines of text of a picture, from the top down. */
type ReadLines = (picture: RgbImage, detail: ReadingDetail, signal: AbortSignal) => Promise<ReadLine[]>;

/** What reads single pictures. */
export type LineReader = {
  readLines: ReadLines;
  /** Whether a small picture has anything like text in it, in a sixth of the time of a reading. */
  seesText: (picture: RgbImage, signal: AbortSignal) => Promise<boolean>;
};

/** Lines that were read with less are not kept. */
const minConfidence = 0.8;

/** The longer side of the picture in which lines are looked for, pixels. */
const minDetectionSide = 640;
const maxDetectionSide = 1920;
/** What is too large for the detector at the finest scale, pixels there, is found at the coarsest. */
const maxFineHeight = 192;
const largestSingleScaleSide = 1280;

/**
 * How much higher the crops are than the detector's lines. Letters then are smaller in them, and the recogniser, which sees one column
 * in eight pixels, leaves out a fifth as many of the spaces (measured). Crops get narrower as well, which saves time.
 */
const cropHeight = 1.25;
/** Narrowest and widest crop, pixels; a longer line is squeezed. */
const minCropWidth = 48;
const maxCropWidth = 3200;
/** A line that is this much higher than wide is read from both sides. */
const uprightRatio = 1.5;

/** Loads what reads text, for processes that need it. Throws `ModelError`. */
export async function loadLineReader(threads: number): Promise<LineReader> {
  const detect = await loadTextDetector(threads);
  const recognise = await loadLineRecogniser(threads);

  /** At two scales where the picture is so large that its largest letters would be too large for the detector. */
  async function findLines(
    picture: RgbImage,
    { scale, firstScale = scale }: ReadingDetail,
    signal: AbortSignal,
  ): Promise<TextRegion[]> {
    const longest = Math.max(picture.width, picture.height);
    const sideAt = (scale: number) => Math.min(maxDetectionSide, Math.max(longest * scale, minDetectionSide));
    const side = sideAt(scale);
    if (sideAt(firstScale) < side && (await detect(picture, sideAt(firstScale), signal)).length === 0) return [];
    const fine = await detect(picture, side, signal);
    if (side <= largestSingleScaleSide) return fine;
    const maxHeight = (maxFineHeight * longest) / side;
    const large = (await detect(picture, minDetectionSide, signal)).filter(({ height }) => height > maxHeight);
    return [...large, ...fine.filter((region) => !large.some((other) => covers(other, region)))];
  }

  async function readLines(picture: RgbImage, detail: ReadingDetail, signal: AbortSignal): Promise<ReadLine[]> {
    const regions = await findLines(picture, detail, signal);
    const lines: ReadLine[] = [];
    for (const region of regions.sort((a, b) => b.score - a.score).slice(0, detail.maxLines)) {
      signal.throwIfAborted();
      const { text, confidence } = await readRegion(recognise, picture, region);
      if (confidence < minConfidence || !isText(text, confidence)) continue;
      lines.push({ text, confidence, box: boxOf(region, picture) });
    }
    return lines.sort((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
  }

  const seesText = async (picture: RgbImage, signal: AbortSignal): Promise<boolean> =>
    (await detect(picture, minDetectionSide, signal)).length > 0;
  return { readLines, seesText };
}

/** Whether the middle of a region is inside another. */
function covers({ centre, width, height, angle }: TextRegion, { centre: place }: TextRegion): boolean {
  const [dx, dy] = [place.x - centre.x, place.y - centre.y];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return Math.abs(dx * cos + dy * sin) < width / 2 && Math.abs(dy * cos - dx * sin) < height / 2;
}

async function readRegion(recognise: RecogniseLine, picture: RgbImage, region: RotatedRectangle) {
  const { width, height, angle } = region;
  if (height < uprightRatio * width) return readLevel(recognise, picture, region);
  const turned = { ...region, width: height, height: width };
  const down = await readLevel(recognise, picture, { ...turned, angle: angle + Math.PI / 2 });
  const up = await readLevel(recognise, picture, { ...turned, angle: angle - Math.PI / 2 });
  return up.confidence > down.confidence ? up : down;
}

async function readLevel(recognise: RecogniseLine, picture: RgbImage, line: RotatedRectangle) {
  const height = line.height * cropHeight;
  const width = line.width + (height - line.height) / 2;
  const cropWidth = Math.round(Math.min(maxCropWidth, Math.max(minCropWidth, (width / height) * lineHeight)));
  const size = { width: cropWidth, height: lineHeight };
  const characters = await recognise(straighten(picture, { ...line, width, height }, size));
  return { text: toText(characters), confidence: meanConfidence(characters) };
}

const toText = (characters: ReadCharacter[]): string =>
  repairLookalikes(
    characters
      .map(({ character }) => character)
      .join('')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

/** Spaces do not count: the text is no surer for them, and often they are unsure. */
function meanConfidence(line: ReadCharacter[]): number {
  const characters = line.filter(({ character }) => character !== ' ');
  const sum = characters.reduce((sum, { confidence }) => sum + confidence, 0);
  return characters.length > 0 ? sum / characters.length : 0;
}

/** Circles and strokes alone, as patterns and fences have them, count as text from this confidence on. */
const minShapeConfidence = 0.97;
const shapesOnly = /^(?:[0oO\s]+|[1lI|/\s]+)$/;

/**
 * Whether a reading may be text. Twigs, fences and tiles are read as single characters or as strokes and signs: two letters or digits
 * are the least that is believed.
 */
const isText = (text: string, confidence: number): boolean =>
  (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2 && (confidence >= minShapeConfidence || !shapesOnly.test(text));

function boxOf(region: RotatedRectangle, picture: { width: number; height: number }): TextBox {
  const corners = cornersOf(region);
  const range = (values: number[]): [number, number] => [
    Math.max(0, Math.min(1, ...values)),
    Math.min(1, Math.max(0, ...values)),
  ];
  const [left, right] = range(corners.map(({ x }) => x / picture.width));
  const [top, bottom] = range(corners.map(({ y }) => y / picture.height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

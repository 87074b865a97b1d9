import type { RgbImage } from '@media-search/media/rgb-image';
import sharp from 'sharp';
import { encodeVideo } from '../../packages/media/samples/draw-media.ts';
import { layLine, loadFonts, pickWord } from './glyphs.ts';
import { createRandom } from './shot-films.ts';

/** Films with words whose times are known: credits that move up, captions that change over a moving picture, and none. */

/** A word and when it can be seen whole, seconds. */
export type FilmWord = { text: string; from: number; to: number };
export type Film = { seconds: number; words: FilmWord[]; draw: (frame: number) => RgbImage };

type Size = { width: number; height: number };
const size: Size = { width: 1280, height: 720 };
const fps = 25;
/** Pixels of a line of credits and of captions, from the top of `d` to the foot of `p`. */
const textHeight = 30;

export const films = { credits: makeCredits, captions: makeCaptions, 'without text': makeBlank };

export async function writeFilm(file: string, film: Film): Promise<void> {
  function* draw() {
    for (let frame = 0; frame < film.seconds * fps; frame++) yield { image: film.draw(frame), pts: frame };
  }
  await encodeVideo(file, draw(), { ...size, fps, bitrate: '4M' });
}

/** Two columns of names that move up four pixels a frame over a dark photograph that stands still. */
async function makeCredits(photographs: string[], seed: number): Promise<Film> {
  const random = createRandom(seed);
  const { sans: font } = await loadFonts();
  const [seconds, speed, step, count] = [20, 4, 64, 20];
  const ground = await sharp(await readPhotograph(photographs[0] as string, size))
    .linear(0.3, 0)
    .raw()
    .toBuffer();
  const words: FilmWord[] = [];
  const shapes: string[] = [];
  for (let i = 0; i < count; i++) {
    const y = i * step;
    for (const x of [180, 700]) {
      const texts = [pickWord(random), pickWord(random)];
      const line = layLine(font, texts, textHeight);
      shapes.push(`<path transform="translate(${x} ${y})" d="${line.path}" fill="white"/>`);
      // The strip enters at the foot of the picture at the first frame.
      const from = (y + textHeight) / speed / fps;
      const to = Math.min(seconds, (y + size.height) / speed / fps);
      words.push(...texts.map((text) => ({ text, from, to })));
    }
  }
  const strip = await rasterise(shapes.join(''), { width: size.width, height: count * step });
  const visible = words.filter(({ from, to }) => to - from > 0.5);
  const draw = (frame: number) => overlay(ground, strip, size.height - speed * frame);
  return { seconds, words: visible, draw };
}

/** Captions of two to four words, each shown for 1.2 to 2.8 s, over a photograph that the camera pans over: one shot. */
async function makeCaptions(photographs: string[], seed: number): Promise<Film> {
  const random = createRandom(seed);
  const { 'sans, bold': font } = await loadFonts();
  const seconds = 24;
  const pan = await panOver(photographs[1] as string, seconds);
  const words: FilmWord[] = [];
  const shown: { from: number; to: number; strip: Strip }[] = [];
  const height = textHeight + 20;
  for (let from = 0.4; from < seconds - 1.5;) {
    const to = Math.min(seconds, from + 1.2 + 1.6 * random());
    const texts = Array.from({ length: 2 + Math.floor(3 * random()) }, () => pickWord(random));
    const line = layLine(font, texts, textHeight);
    const stroke = 'stroke="black" stroke-width="4" stroke-linejoin="round" paint-order="stroke"';
    const place = `translate(${(size.width - line.width) / 2} 10)`;
    const svg = `<path transform="${place}" d="${line.path}" fill="white" ${stroke}/>`;
    shown.push({ from, to, strip: await rasterise(svg, { width: size.width, height }) });
    words.push(...texts.map((text) => ({ text, from, to })));
    from = to + 0.3 * Math.floor(2 * random());
  }
  const draw = (frame: number) => {
    const caption = shown.find(({ from, to }) => frame / fps >= from && frame / fps < to);
    return caption ? overlay(pan(frame), caption.strip, size.height - 90) : toImage(pan(frame));
  };
  return { seconds, words, draw };
}

/** Three photographs, each panned over for six seconds. */
async function makeBlank(photographs: string[]): Promise<Film> {
  const each = 6;
  const pans = await Promise.all(photographs.slice(2, 5).map((file) => panOver(file, each)));
  const draw = (frame: number) => toImage((pans[Math.floor(frame / (each * fps))] as Pan)(frame % (each * fps)));
  return { seconds: each * pans.length, words: [], draw };
}

type Pan = (frame: number) => Buffer;
/** Letters with their opacity, four bytes a pixel. */
type Strip = { data: Buffer; height: number };

const toImage = (data: Buffer): RgbImage => ({ ...size, data });

const readPhotograph = async (file: string, { width, height }: Size): Promise<Buffer> =>
  sharp(file).autoOrient().resize(width, height, { fit: 'cover' }).toColourspace('srgb').removeAlpha().png().toBuffer();

const rasterise = async (shapes: string, { width, height }: Size): Promise<Strip> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`;
  return { data: await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer(), height };
};

/** A photograph half as large again as the frame, over which the frame moves. @param shapes of SVG that are drawn on the photograph */
export async function panOver(file: string, seconds: number, frame = size, shapes = ''): Promise<Pan> {
  const wide = { width: frame.width * 1.5, height: frame.height * 1.5 };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide.width}" height="${wide.height}">${shapes}</svg>`;
  const source = await sharp(await readPhotograph(file, wide))
    .composite([{ input: Buffer.from(svg) }])
    .removeAlpha()
    .raw()
    .toBuffer();
  return (number) => {
    const share = number / (seconds * fps);
    const left = Math.round(share * (wide.width - frame.width));
    const top = Math.round(share * (wide.height - frame.height));
    const out = Buffer.alloc(frame.width * frame.height * 3);
    for (let y = 0; y < frame.height; y++) {
      const from = 3 * ((top + y) * wide.width + left);
      source.copy(out, 3 * y * frame.width, from, from + 3 * frame.width);
    }
    return out;
  };
}

/** Lays letters over a picture; `top` may be outside of it. */
function overlay(ground: Buffer, strip: Strip, top: number): RgbImage {
  const data = Buffer.from(ground);
  for (let row = Math.max(0, -top); row < strip.height && top + row < size.height; row++) {
    let from = 4 * row * size.width;
    let to = 3 * (top + row) * size.width;
    for (let x = 0; x < size.width; x++, from += 4, to += 3) {
      const opacity = strip.data[from + 3]!;
      if (opacity === 0) continue;
      for (let c = 0; c < 3; c++) data[to + c]! += ((strip.data[from + c]! - data[to + c]!) * opacity) / 255;
    }
  }
  return toImage(data);
}

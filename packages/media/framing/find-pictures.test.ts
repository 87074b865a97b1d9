import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { RgbImage } from '../rgb-image.ts';
import { type Colour, drawImage, type Paint, plain, square } from '../samples/draw-media.ts';
import { drawText } from '../testing/draw-text.ts';
import { composeJpeg, type Place, rawOptions, scene } from '../testing/framed-images.ts';
import { findPictures } from './find-pictures.ts';
import type { Rectangle } from './separating-lines.ts';

const size = { width: 480, height: 270 };
const black: Colour = [0, 0, 0];
const white: Colour = [255, 255, 255];

/** Puts pictures on a ground, and compresses the whole as JPEG. */
const compose = async (...parts: Parameters<typeof composeJpeg>): Promise<RgbImage> => ({
  ...parts[0],
  data: await sharp(await composeJpeg(...parts))
    .raw()
    .toBuffer(),
});

const framed = (place: Place, paint: Paint, ground: Paint, quality?: number): Promise<RgbImage> =>
  compose(
    drawImage(ground, size.width, size.height),
    [{ image: drawImage(paint, place.width, place.height), place }],
    quality,
  );

const letterbox: Place = { left: 0, top: 36, width: 480, height: 198 };
const pillarbox: Place = { left: 90, top: 0, width: 300, height: 270 };
const windowbox: Place = { left: 60, top: 30, width: 360, height: 210 };
const whole: Rectangle = { left: 0, top: 0, right: 1, bottom: 1 };

/** Asserts that a found rectangle is where the picture was put, to three pixels. */
function expectPlace(
  found: Rectangle | undefined,
  { left, top, width, height }: Place,
  of: { width: number; height: number } = size,
) {
  expect(found).toBeDefined();
  const { left: l, top: t, right, bottom } = found as Rectangle;
  const pixels = [l * of.width, t * of.height, right * of.width, bottom * of.height];
  for (const [i, edge] of [left, top, left + width, top + height].entries()) {
    expect(Math.abs((pixels[i] as number) - edge), `edge ${i} of ${pixels.join(', ')}`).toBeLessThanOrEqual(3);
  }
}

describe('a border is found', () => {
  test.each([
    ['black above and below', letterbox, plain(...black), 80],
    ['black at the sides', pillarbox, plain(...black), 80],
    ['black all around', windowbox, plain(...black), 80],
    ['white all around', windowbox, plain(...white), 80],
    ['blue, badly compressed', letterbox, plain(30, 50, 120), 35],
    ['a slight gradient', letterbox, (x: number, y: number) => [40 + 14 * x, 50 + 14 * y, 90 + 14 * x] as Colour, 80],
  ] as const)('%s', async (_, place, ground, quality) => {
    for (const seed of [1, 2, 3, 4]) {
      const { inside, pictures } = findPictures([await framed(place, scene(seed), ground, quality)], 4);
      expectPlace(inside, place);
      expect(pictures).toEqual([]);
    }
  });

  test.each([
    ['at the sides', { left: 164, top: 0, width: 152, height: 270 }, { width: 480, height: 270 }],
    ['above and below', { left: 0, top: 164, width: 270, height: 152 }, { width: 270, height: 480 }],
  ])('of the picture itself, enlarged and blurred, %s', async (_, place, frame) => {
    for (const seed of [1, 2, 3]) {
      const image = drawImage(scene(seed), place.width, place.height);
      const fill = await sharp(image.data, rawOptions(image))
        .resize(frame.width, frame.height, { fit: 'cover' })
        .blur(10)
        .linear(0.75, 0)
        .raw()
        .toBuffer();
      const { inside } = findPictures([await compose({ ...frame, data: fill }, [{ image, place }])], 4);
      expectPlace(inside, place, frame);
    }
  });

  test('around a picture that is black at its edges in some frames of the shot, by the others', async () => {
    const dark: Paint = (x, y) => (y < 0.4 ? black : scene(1)(x, y, 0));
    const frames = await Promise.all([dark, scene(1)].map((paint) => framed(letterbox, paint, plain(...black))));
    expectPlace(findPictures(frames, 4).inside, letterbox);
  });
});

describe('nothing is cut off', () => {
  const thing: Paint = (x, y) => {
    const isThing = ((x - 0.5) / 0.25) ** 2 + ((y - 0.5) / 0.35) ** 2 < 1;
    return isThing ? scene(2)(x, y, 0) : white;
  };
  const stars: Paint = (x, y) =>
    (Math.floor(x * 97) * 31 + Math.floor(y * 53) * 17) % 211 === 0 ? [220, 220, 210] : [6, 7, 14];
  const horizon: Paint = (x, y) => (y < 0.4 ? [150, 180, 220] : scene(3)(x, y, 0));

  test.each([
    ['a photograph', scene(1)],
    ['a thing on white', thing],
    ['a night sky', stars],
    ['an even sky above a straight horizon', horizon],
    ['one colour', plain(...black)],
    ['a square, which is a drawing', square([210, 20, 30], white)],
    ['lines of a drawing', (x: number) => (x % 0.2 < 0.01 ? black : white)],
  ])('%s', async (_, paint) => {
    expect(findPictures([await framed({ left: 0, top: 0, ...size }, paint, plain(...black))], 4).inside).toEqual(whole);
  });

  test('a text on black, and a thin line around a drawing', async () => {
    const lines = [{ text: 'Three weeks later', left: 120, top: 120, size: 28, colour: '#ffffff' }];
    const card = await drawText(drawImage(plain(...black), size.width, size.height), lines);
    expect(findPictures([card], 4)).toEqual({ inside: whole, pictures: [] });
    const outlined = await framed(windowbox, square(black, white), plain(...white));
    expect(findPictures([outlined], 4)).toEqual({ inside: whole, pictures: [] });
  });

  test('what is blank in one frame only is no border', async () => {
    const frames = await Promise.all([
      framed(letterbox, scene(1), plain(...black)),
      framed({ left: 0, top: 0, ...size }, scene(2), plain(...black)),
    ]);
    expect(findPictures(frames, 4)).toEqual({ inside: whole, pictures: [] });
  });

  test('a subtitle in the lower bar: the whole counts as well, and the picture beside it', async () => {
    const bars = await framed(letterbox, scene(1), plain(...black));
    const text = { text: 'I told you so.', left: 170, top: 244, size: 13, colour: '#f0f0f0' };
    const { inside, pictures } = findPictures([await drawText(bars, [text])], 4);
    expect(inside).toEqual(whole);
    expectPlace(pictures[0], letterbox);
  });
});

describe('pictures inside are found', () => {
  test('on a page with text', async () => {
    const place = { left: 60, top: 70, width: 200, height: 130 };
    const page = await drawText(drawImage(plain(...white), 480, 320), [
      { text: 'Ten miles to the coast', left: 60, top: 24, size: 22 },
      { text: 'The road goes on for another ten miles.', left: 60, top: 220, size: 12 },
      { text: 'Nobody takes it in winter.', left: 60, top: 240, size: 12 },
      { text: 'Most read', left: 340, top: 80, size: 14 },
    ]);
    const image = await compose(page, [{ image: drawImage(scene(1), 200, 130), place }]);
    const { inside, pictures } = findPictures([image], 4);
    expect(inside).toEqual(whole);
    expect(pictures).toHaveLength(1);
    expectPlace(pictures[0], place, { width: 480, height: 320 });
  });

  test('side by side, the largest first and no more than wanted', async () => {
    const places = [
      { left: 8, top: 8, width: 300, height: 254 },
      { left: 316, top: 8, width: 156, height: 123 },
      { left: 316, top: 139, width: 156, height: 123 },
    ];
    const parts = places.map((place, i) => ({ image: drawImage(scene(i + 1), place.width, place.height), place }));
    const collage = await compose(drawImage(plain(...white), 480, 270), parts);
    const { pictures } = findPictures([collage], 4);
    expect(pictures).toHaveLength(3);
    expectPlace(pictures[0], places[0] as Place);
    for (const place of places.slice(1)) {
      const nearest = pictures.toSorted((a, b) => distance(a, place) - distance(b, place))[0];
      expectPlace(nearest, place);
    }
    expect(findPictures([collage], 2).pictures).toHaveLength(2);
  });

  test('without the bars of their player', async () => {
    const film = { left: 24, top: 65, width: 330, height: 140 };
    const window = drawImage(
      (x, y) => (x > 0.05 && x < 0.738 && y > 0.15 && y < 0.85 ? black : [60, 60, 60]),
      480,
      270,
    );
    const titled = await drawText(window, [
      { text: 'A day to remember', left: 24, top: 10, size: 14, colour: '#ffffff' },
    ]);
    const image = await compose(titled, [{ image: drawImage(scene(2), film.width, film.height), place: film }]);
    expectPlace(findPictures([image], 4).pictures[0], film);
  });
});

const distance = ({ left, top }: Rectangle, place: Place): number =>
  Math.hypot(left * size.width - place.left, top * size.height - place.top);

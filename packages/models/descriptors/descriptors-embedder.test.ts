import type { Moment, RgbImage } from '@media-search/media/rgb-image';
import { dot } from '@media-search/search-engine/vectors';
import { describe, expect, test } from 'vitest';
import { checkers, drawImage, type Paint, plain, square } from '../../media/samples/draw-media.ts';
import { descriptorsEmbedder } from './descriptors-embedder.ts';

const still = (image: RgbImage): Moment[] => [{ image, next: null }];

async function embed(...chunks: Moment[][]): Promise<Float32Array[]> {
  return (await descriptorsEmbedder.embedChunks(chunks)).map(({ vector }) => vector);
}

async function textVector(query: string): Promise<Float32Array> {
  const { vector } = await descriptorsEmbedder.embedText(query);
  if (!vector) throw new Error(`No word of "${query}" is known.`);
  return vector;
}

/** Sky above, ground below, with a little texture so that nothing is quite flat. */
const landscape =
  (sky: [number, number, number], ground: [number, number, number]): Paint =>
  (x, y) => {
    const grain = 8 * Math.sin(80 * x) * Math.sin(60 * y);
    const [r, g, b] = y < 0.45 ? sky : ground;
    return [r + grain, g + grain, b + grain];
  };

const noise: Paint = (x, y) => {
  const value = 127 + 120 * Math.sin(x * 9301 + y * 49_297) * Math.cos(x * 233 + y * 777);
  return [value, value, value];
};

const images: Record<string, Paint> = {
  'red square on white': square([210, 20, 25], [250, 250, 250]),
  'white square on red': square([250, 250, 250], [210, 20, 25]),
  'blue sky over green grass': landscape([90, 150, 230], [50, 130, 40]),
  'green above blue': landscape([50, 130, 40], [90, 150, 230]),
  sunset: landscape([240, 130, 40], [60, 30, 20]),
  snow: landscape([200, 215, 235], [250, 250, 252]),
  night: landscape([8, 8, 18], [4, 4, 6]),
  'grey street': landscape([130, 130, 132], [90, 90, 92]),
  'black and white checkers': checkers(0),
  purple: plain(120, 30, 140),
  yellow: plain(240, 215, 40),
  noise,
};

test('"light" is a noun after an adjective, and means brightness before a word or alone', async () => {
  expect(await textVector('warm light')).toEqual(await textVector('warm'));
  expect(await textVector('light')).toEqual(await textVector('bright'));
  expect(await textVector('light blue')).toEqual(await textVector('bright blue'));
});

test('dark and bright apply to the region that is named', async () => {
  const [framed, lit] = await embed(
    still(drawImage(square([250, 250, 250], [10, 10, 10]))),
    still(drawImage(square([10, 10, 10], [250, 250, 250]))),
  );
  const query = await textVector('bright centre, dark border');
  expect(dot(framed as Float32Array, query)).toBeGreaterThan(dot(lit as Float32Array, query) + 0.3);
});

describe('text finds images', () => {
  test.each([
    ['red on white', 'red square on white'],
    ['a white thing on red', 'white square on red'],
    ['blue sky over green grass', 'blue sky over green grass'],
    ['green grass', 'blue sky over green grass'],
    ['warm orange', 'sunset'],
    ['bright white', 'snow'],
    ['dark night', 'night'],
    ['violet', 'purple'],
    ['golden', 'yellow'],
    ['cluttered and busy', 'noise'],
  ])('%s', async (query, expected) => {
    const names = Object.keys(images);
    const vectors = await embed(...Object.values(images).map((paint) => still(drawImage(paint))));
    const vector = await textVector(query);
    const ranked = names
      .map((name, i) => ({ name, similarity: dot(vectors[i] as Float32Array, vector) }))
      .toSorted((a, b) => b.similarity - a.similarity);
    expect(ranked[0]?.name).toBe(expected);
  });

  test('negated terms rank last', async () => {
    const [red, white] = (await embed(
      still(drawImage(plain(210, 20, 25))),
      still(drawImage(plain(250, 250, 250))),
    )) as [Float32Array, Float32Array];
    const vector = await textVector('without red');
    expect(dot(white, vector)).toBeGreaterThan(dot(red, vector));
  });

  test('colourful and colourless', async () => {
    const [colour, grey] = (await embed(
      still(drawImage(images['blue sky over green grass'] as Paint)),
      still(drawImage(images['grey street'] as Paint)),
    )) as [Float32Array, Float32Array];
    for (const query of ['black and white', 'b&w', 'monochrome']) {
      const vector = await textVector(query);
      expect(dot(grey, vector), query).toBeGreaterThan(dot(colour, vector));
    }
    const vivid = await textVector('colourful');
    expect(dot(colour, vivid)).toBeGreaterThan(dot(grey, vivid));
  });

  test('sharp and blurred', async () => {
    const edge: Paint = (x) => (Math.floor(x * 12) % 2 === 0 ? [230, 230, 230] : [30, 30, 30]);
    const soft: Paint = (x) => {
      const value = 130 + 100 * Math.sin(x * Math.PI * 12);
      return [value, value, value];
    };
    const [sharp, blurred] = (await embed(still(drawImage(edge)), still(drawImage(soft)))) as [
      Float32Array,
      Float32Array,
    ];
    const vector = await textVector('blurry');
    expect(dot(blurred, vector)).toBeGreaterThan(dot(sharp, vector));
  });

  test('stripes by their direction', async () => {
    const striped =
      (along: 'x' | 'y'): Paint =>
      (x, y) =>
        Math.floor((along === 'x' ? x : y) * 16) % 2 === 0 ? [230, 230, 230] : [30, 30, 30];
    const [upright, level] = (await embed(still(drawImage(striped('x'))), still(drawImage(striped('y'))))) as [
      Float32Array,
      Float32Array,
    ];
    expect(dot(upright, await textVector('vertical'))).toBeGreaterThan(dot(level, await textVector('vertical')));
    expect(dot(level, await textVector('horizontal'))).toBeGreaterThan(dot(upright, await textVector('horizontal')));
  });
});

describe('motion', () => {
  const moving = (speed: number): Moment[] => [
    {
      image: drawImage(checkers(speed)),
      next: { image: drawImage(checkers(speed), 160, 90, 0.25), after: 0.25 },
    },
  ];

  test('is found by its amount and direction', async () => {
    const [resting, right, left] = (await embed(moving(0), moving(0.2), moving(-0.2))) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const fast = await textVector('fast');
    expect(dot(right, fast)).toBeGreaterThan(dot(resting, fast));
    const calm = await textVector('still');
    expect(dot(resting, calm)).toBeGreaterThan(dot(right, calm));
    const rightwards = await textVector('moving right');
    expect(dot(right, rightwards)).toBeGreaterThan(dot(left, rightwards));
    const leftwards = await textVector('moving left');
    expect(dot(left, leftwards)).toBeGreaterThan(dot(right, leftwards));
  });

  test('a colour that appears once in a chunk is still found', async () => {
    const grey = drawImage(images['grey street'] as Paint);
    const red = drawImage(square([210, 20, 25], [110, 110, 110]));
    const passing = [grey, grey, red, grey, grey].flatMap(still);
    const [with_, without] = (await embed(passing, [grey, grey].flatMap(still))) as [Float32Array, Float32Array];
    const vector = await textVector('red');
    expect(dot(with_, vector)).toBeGreaterThan(dot(without, vector) + 0.05);
  });
});

describe('vectors', () => {
  test('have unit length and no NaN, whatever the image', async () => {
    const odd = [plain(128, 128, 128), plain(0, 0, 0), plain(255, 255, 255), noise].flatMap((paint) => [
      still(drawImage(paint, 1, 1)),
      still(drawImage(paint, 3, 500)),
      still(drawImage(paint, 320, 180)),
    ]);
    for (const vector of await embed(...odd)) {
      expect(vector).toHaveLength(descriptorsEmbedder.dimensions);
      expect(vector.every(Number.isFinite)).toBe(true);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  test('of similar images are near, of different ones far', async () => {
    const sky = images['blue sky over green grass'] as Paint;
    const mirrored: Paint = (x, y, time) => sky(1 - x, y, time);
    const [one, same, large, flipped, other] = (await embed(
      ...[
        drawImage(sky),
        drawImage(sky),
        drawImage(sky, 320, 180),
        drawImage(mirrored),
        drawImage(images['night'] as Paint),
      ].map(still),
    )) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
    expect(dot(one, same)).toBeCloseTo(1, 5);
    expect(dot(one, large)).toBeGreaterThan(0.9);
    expect(dot(one, flipped)).toBeGreaterThan(0.95);
    expect(dot(one, other)).toBeLessThan(0.3);
  });
});

describe('queries', () => {
  test.each([
    ['red car at night', ['car']],
    ['A Photo of the blue sky', []],
    ['Zebra, zebra and ZEBRA in the grass', ['Zebra', 'zebra', 'ZEBRA']],
    ['jet-black', []],
    ['東京 red', ['東京']],
    // By their colour alone they are found no better than by chance.
    ['snow forest beach sunset waves fog', ['snow', 'forest', 'beach', 'sunset', 'waves', 'fog']],
  ])('name the words that mean nothing here: %s', async (query, unknown) => {
    expect((await descriptorsEmbedder.embedText(query)).unknown).toEqual(unknown);
  });

  test.each(['', '   ', 'dog', 'the of and', '!?'])('without a visual word have no vector: "%s"', async (query) => {
    expect((await descriptorsEmbedder.embedText(query)).vector).toBeNull();
  });

  test('of any length and kind are parsed', async () => {
    const { vector } = await descriptorsEmbedder.embedText(`${'red '.repeat(5000)}\u{1F98A}\0`);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
  });
});

import type { RgbImage } from '@media-search/media/rgb-image';
import sharp from 'sharp';
import { drawText, type DrawnLine } from '../../packages/media/testing/draw-text.ts';
import { rawOptions } from '../../packages/media/testing/framed-images.ts';

/** Photographs inside of something else: bars, blurred fill, a player, a web page, a phone, a collage. */

/** Shares of the sides of the image, 0..1. */
type Place = { left: number; top: number; right: number; bottom: number };
/** An image as JPEG and where the photographs are in it, the one that was asked for first. */
export type Framed = { jpeg: Buffer; places: Place[] };
type Random = () => number;
/** @param others photographs that stand beside it, where something shows several */
type Frame = (photo: RgbImage, others: RgbImage[], random: Random) => Promise<Framed>;
type Colour = [number, number, number];
type Box = { left: number; top: number; width: number; height: number };

/** A canvas of one colour, or of one that changes evenly from its top left to its bottom right. */
function canvas(width: number, height: number, from: Colour, to: Colour = from): RgbImage {
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const share = (x / width + y / height) / 2;
      for (const c of [0, 1, 2] as const) data[3 * (y * width + x) + c] = from[c] + share * (to[c] - from[c]);
    }
  }
  return { width, height, data };
}

/** Puts photographs and boxes of one colour on a canvas; photographs are cut to the shape of their boxes. */
async function compose(
  ground: RgbImage,
  photos: { photo: RgbImage; box: Box }[],
  boxes: { box: Box; colour: Colour }[] = [],
  lines: DrawnLine[] = [],
  quality = 85,
): Promise<Framed> {
  const layers = [
    ...boxes.map(({ box, colour }) => ({ box, image: canvas(box.width, box.height, colour) })),
    ...(await Promise.all(photos.map(async ({ photo, box }) => ({ box, image: await scale(photo, box) })))),
  ].map(({ box, image }) => ({ input: Buffer.from(image.data), ...rawOptions(image), left: box.left, top: box.top }));
  const data = await sharp(ground.data, rawOptions(ground)).composite(layers).removeAlpha().raw().toBuffer();
  const image = await drawText({ ...ground, data }, lines);
  const { width, height } = ground;
  return {
    jpeg: await sharp(image.data, rawOptions(image)).jpeg({ quality }).toBuffer(),
    places: photos.map(({ box }) => ({
      left: box.left / width,
      top: box.top / height,
      right: (box.left + box.width) / width,
      bottom: (box.top + box.height) / height,
    })),
  };
}

async function scale(photo: RgbImage, { width, height }: Box): Promise<RgbImage> {
  const data = await sharp(photo.data, rawOptions(photo)).resize(width, height, { fit: 'cover' }).raw().toBuffer();
  return { width, height, data };
}

/** Bars around a photograph, as shares of its width and height. */
const bars =
  (
    across: number,
    down: number,
    from: Colour,
    { to = from, quality = 85 }: { to?: Colour; quality?: number } = {},
  ): Frame =>
  (photo, _, random) => {
    const [x, y] = [across, down].map((share) => share * (0.75 + 0.5 * random())) as [number, number];
    const [left, top] = [Math.round(x * photo.width), Math.round(y * photo.height)];
    const ground = canvas(photo.width + 2 * left, photo.height + 2 * top, from, to);
    return compose(ground, [{ photo, box: { left, top, width: photo.width, height: photo.height } }], [], [], quality);
  };

/** A letterbox with a subtitle in the lower bar. */
const subtitled: Frame = (photo) => {
  const bar = Math.round(0.2 * photo.height);
  const size = Math.round(Math.min(0.3 * bar, 0.03 * photo.width));
  const line = {
    text: 'I told you that this would happen.',
    left: Math.round(0.15 * photo.width),
    size,
    colour: '#f0f0f0',
  };
  const ground = canvas(photo.width, photo.height + 2 * bar, [0, 0, 0]);
  const box = { left: 0, top: bar, width: photo.width, height: photo.height };
  return compose(ground, [{ photo, box }], [], [{ ...line, top: bar + photo.height + size }]);
};

/** What editors make of an upright clip: itself in the middle of a wide picture, over itself enlarged, blurred and darkened. */
const blurredFill =
  (isWide: boolean): Frame =>
  async (photo, _, random) => {
    const [width, height] = isWide ? [1280, 720] : [720, 1280];
    const inner = isWide
      ? { left: 0, top: 0, height, width: Math.round(height * (0.56 + 0.3 * random())) }
      : { left: 0, top: 0, width, height: Math.round(width * (0.56 + 0.3 * random())) };
    const box = { ...inner, left: (width - inner.width) >> 1, top: (height - inner.height) >> 1 };
    const clip = await scale(photo, box);
    const data = await sharp(clip.data, rawOptions(clip))
      .resize(width, height, { fit: 'cover' })
      .blur(14 + 16 * random())
      .linear(0.6 + 0.4 * random(), 0)
      .raw()
      .toBuffer();
    return compose({ width, height, data }, [{ photo: clip, box }]);
  };

const black: Colour = [0, 0, 0];
const white: Colour = [255, 255, 255];

/** The largest box of a photograph's shape inside a box, in its middle. */
function fit(photo: RgbImage, { left, top, width, height }: Box): Box {
  const factor = Math.min(width / photo.width, height / photo.height);
  const [w, h] = [Math.round(factor * photo.width), Math.round(factor * photo.height)];
  return { left: left + ((width - w) >> 1), top: top + ((height - h) >> 1), width: w, height: h };
}

/** A player's window: title, the picture between black bars, controls; beside it what comes next. */
const player: Frame = (photo, others) => {
  const ground = canvas(1440, 900, [24, 24, 24]);
  const screen = { left: 24, top: 72, width: 1000, height: 563 };
  const lines = [
    { text: 'watch.example/videos/4711', left: 90, top: 22, size: 18, colour: '#dddddd' },
    { text: 'A day that I will not forget', left: 24, top: 720, size: 28, colour: '#f1f1f1' },
    { text: '48,213 views   3 weeks ago', left: 24, top: 765, size: 18, colour: '#aaaaaa' },
    { text: '2:41 / 10:02', left: 90, top: 650, size: 16, colour: '#eeeeee' },
    ...others.slice(0, 4).flatMap((_, i) => [
      { text: 'Something else to watch', left: 1230, top: 80 + 130 * i, size: 16, colour: '#f1f1f1' },
      { text: '12,004 views', left: 1230, top: 108 + 130 * i, size: 14, colour: '#aaaaaa' },
    ]),
  ];
  const nextOnes = others.slice(0, 4).map((other, i) => ({
    photo: other,
    box: { left: 1048, top: 72 + 130 * i, width: 168, height: 94 },
  }));
  const boxes = [
    { box: screen, colour: black },
    { box: { left: 24, top: 640, width: 1000, height: 4 }, colour: [90, 90, 90] as Colour },
    { box: { left: 24, top: 640, width: 268, height: 4 }, colour: [230, 20, 20] as Colour },
    { box: { left: 34, top: 650, width: 14, height: 18 }, colour: [238, 238, 238] as Colour },
  ];
  return compose(ground, [{ photo, box: fit(photo, screen) }, ...nextOnes], boxes, lines);
};

const paragraph = [
  'The road goes on for another ten miles before it reaches',
  'the coast. Nobody who lives here takes it in winter, and',
  'those who do are told to bring a rope and enough to eat.',
  'We left early, while the village was still asleep, and',
  'came back late. What follows is what we saw on the way,',
  'in the order in which we saw it.',
];

/** An article in a browser: head, title, photograph, text, a column of links. */
const webPage: Frame = (photo, _, random) => {
  const ground = canvas(1366, 900, white);
  const width = 420 + Math.round(240 * random());
  const height = Math.min(480, Math.round((width * photo.height) / photo.width));
  const box = { left: 120, top: 230, width: Math.round((height * photo.width) / photo.height), height };
  const grey = '#555555';
  const lines = [
    { text: 'The Daily Example', left: 120, top: 26, size: 28, colour: '#ffffff' },
    { text: 'News     Travel     Science     Sport', left: 640, top: 32, size: 18, colour: '#dddddd' },
    { text: 'Ten miles to the coast', left: 120, top: 130, size: 40, colour: '#111111' },
    { text: 'By our correspondent, 14 November', left: 120, top: 190, size: 16, colour: grey },
    ...paragraph.map((text, i) => ({
      text,
      left: 120,
      top: box.top + box.height + 24 + 28 * i,
      size: 18,
      colour: '#222222',
    })),
    { text: 'Most read', left: 960, top: 230, size: 22, colour: '#111111' },
    ...paragraph.map((text, i) => ({
      text: text.slice(0, 30),
      left: 960,
      top: 275 + 44 * i,
      size: 17,
      colour: '#0645ad',
    })),
  ].filter(({ top, size }) => top + 2 * size < 900);
  return compose(
    ground,
    [{ photo, box }],
    [{ box: { left: 0, top: 0, width: 1366, height: 84 }, colour: [28, 44, 80] }],
    lines,
  );
};

/** A post on a phone: status bar, author, the photograph from side to side, a caption, buttons. */
const phone =
  (ground: Colour, ink: string): Frame =>
  (photo, _, random) => {
    const height = Math.round(1080 * (0.75 + 0.35 * random()));
    const box = { left: 0, top: 330, width: 1080, height };
    const below = box.top + height;
    const lines = [
      { text: '9:41', left: 60, top: 24, size: 36, colour: ink },
      { text: '82 %', left: 930, top: 24, size: 32, colour: ink },
      { text: 'someone.who.travels', left: 160, top: 215, size: 38, colour: ink },
      { text: 'Liked by 1,204 people', left: 48, top: below + 130, size: 36, colour: ink },
      { text: 'What a day this was! More soon.', left: 48, top: below + 195, size: 36, colour: ink },
      { text: 'View all 87 comments', left: 48, top: below + 260, size: 34, colour: '#888888' },
    ];
    const dot = (left: number, top: number, size: number, colour: Colour) => ({
      box: { left, top, width: size, height: size },
      colour,
    });
    const boxes = [
      dot(48, 200, 80, [190, 120, 60]),
      dot(48, below + 40, 54, [200, 60, 80]),
      dot(130, below + 40, 54, [128, 128, 128]),
      ...[100, 350, 600, 850].map((left) => dot(left, 2040, 60, [128, 128, 128])),
    ];
    return compose(canvas(1080, 2160, ground), [{ photo, box }], boxes, lines);
  };

/** Photographs side by side with gaps between them. */
const collage =
  (columns: number, rows: number, gap: number, ground: Colour): Frame =>
  (photo, others) => {
    const [width, height] = [Math.round(1200 / columns), Math.round(900 / rows)];
    const photos = [photo, ...others].slice(0, columns * rows).map((each, i) => ({
      photo: each,
      box: {
        left: gap + (i % columns) * (width + gap),
        top: gap + Math.floor(i / columns) * (height + gap),
        width,
        height,
      },
    }));
    return compose(canvas(columns * (width + gap) + gap, rows * (height + gap) + gap, ground), photos);
  };

/** Ways to frame a photograph. `kind`: one picture in a border, one in a screenshot, or several side by side. */
export const frames: Record<string, { kind: 'border' | 'screenshot' | 'collage'; frame: Frame }> = {
  letterbox: { kind: 'border', frame: bars(0, 0.17, black) },
  pillarbox: { kind: 'border', frame: bars(0.3, 0, black) },
  windowbox: { kind: 'border', frame: bars(0.15, 0.15, black) },
  'white frame': { kind: 'border', frame: bars(0.1, 0.1, white) },
  'bars of a colour, JPEG 40': {
    kind: 'border',
    frame: bars(0, 0.2, [40, 60, 110], { to: [70, 90, 140], quality: 40 }),
  },
  'subtitle in the bar': { kind: 'border', frame: subtitled },
  'blurred at the sides': { kind: 'border', frame: blurredFill(true) },
  'blurred above and below': { kind: 'border', frame: blurredFill(false) },
  player: { kind: 'screenshot', frame: player },
  'web page': { kind: 'screenshot', frame: webPage },
  'phone, light': { kind: 'screenshot', frame: phone(white, '#111111') },
  'phone, dark': { kind: 'screenshot', frame: phone([16, 16, 18], '#eeeeee') },
  'collage of 4': { kind: 'collage', frame: collage(2, 2, 16, white) },
  'collage of 3': { kind: 'collage', frame: collage(3, 1, 10, black) },
};

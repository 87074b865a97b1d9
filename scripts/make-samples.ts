import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { encodeVideo } from '../packages/media/samples/draw-media.ts';

/**
 * `node scripts/make-samples.ts <folder>`: makes the sample clips and photographs that the service offers to an empty library. The folder holds the photographs
 * that `packages/media/samples/files/README.md` names, 1024 pixels long, as `<name>.jpg`. Films are cut from them: the camera moves over each, and one
 * fades into the next. They are made once and kept, because drawing them takes a minute.
 */

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('Usage: node scripts/make-samples.ts <folder with photographs>');
const target = path.join(import.meta.dirname, '..', 'packages', 'media', 'samples', 'files');

const size = { width: 1280, height: 720 };
const fps = 25;
const fadeSeconds = 0.6;

/** What the camera sees of a picture: its middle, and its width, as shares of the picture's. */
type View = [x: number, y: number, width: number];

type Shot = { picture: string; seconds: number; from: View; to: View };

type Film = {
  name: string;
  recordedAt: string;
  shots: Shot[];
  subtitles?: { start: number; end: number; text: string }[];
};

const films: Film[] = [
  {
    name: 'giraffes-in-the-savannah.mp4',
    recordedAt: '2023-08-14T07:42:00.000Z',
    shots: [{ picture: 'giraffes', seconds: 7, from: [0.36, 0.5, 0.72], to: [0.62, 0.58, 0.56] }],
  },
  {
    name: 'lemurs-and-jaguars.mp4',
    recordedAt: '2024-04-06T10:15:00.000Z',
    shots: [
      { picture: 'lemurs', seconds: 4.5, from: [0.5, 0.5, 1], to: [0.4, 0.42, 0.7] },
      { picture: 'jaguars', seconds: 4.5, from: [0.35, 0.5, 0.66], to: [0.6, 0.55, 0.66] },
    ],
  },
  {
    name: 'outback.mp4',
    recordedAt: '2022-11-20T04:30:00.000Z',
    shots: [
      { picture: 'kangaroo', seconds: 4.5, from: [0.5, 0.36, 0.95], to: [0.48, 0.56, 0.8] },
      { picture: 'crocodile', seconds: 4.5, from: [0.3, 0.5, 0.6], to: [0.68, 0.5, 0.75] },
    ],
  },
  {
    name: 'ancient-walls.mp4',
    recordedAt: '2021-05-09T13:05:00.000Z',
    shots: [
      { picture: 'colosseum', seconds: 4, from: [0.42, 0.48, 0.8], to: [0.55, 0.5, 0.8] },
      { picture: 'machu-picchu', seconds: 4, from: [0.5, 0.5, 1], to: [0.5, 0.55, 0.74] },
      { picture: 'great-wall', seconds: 4, from: [0.6, 0.52, 0.7], to: [0.46, 0.58, 0.9] },
    ],
  },
  {
    name: 'golden-temple.mp4',
    recordedAt: '2023-01-17T06:20:00.000Z',
    shots: [{ picture: 'golden-temple', seconds: 7, from: [0.36, 0.6, 0.6], to: [0.52, 0.52, 0.9] }],
  },
  {
    name: 'hedgehog-and-chameleon.mp4',
    recordedAt: '2024-06-02T16:48:00.000Z',
    shots: [
      { picture: 'hedgehog', seconds: 4.5, from: [0.45, 0.5, 0.95], to: [0.62, 0.5, 0.6] },
      { picture: 'chameleon', seconds: 4.5, from: [0.6, 0.5, 0.6], to: [0.45, 0.45, 0.8] },
    ],
  },
  {
    name: 'evening-concert.mkv',
    recordedAt: '2023-09-30T18:10:00.000Z',
    shots: [
      { picture: 'orchestra', seconds: 4.5, from: [0.5, 0.5, 1], to: [0.5, 0.52, 0.66] },
      { picture: 'opera', seconds: 4.5, from: [0.38, 0.52, 0.66], to: [0.6, 0.52, 0.7] },
      { picture: 'festival', seconds: 4, from: [0.5, 0.5, 1], to: [0.45, 0.6, 0.7] },
    ],
    subtitles: [
      { start: 0.5, end: 3.5, text: 'The orchestra tunes its instruments.' },
      { start: 4.8, end: 7.8, text: 'The choir steps into the light.' },
      { start: 9, end: 12, text: 'Drums and lanterns close the evening.' },
    ],
  },
];

const photographs = [
  { picture: 'bison', name: 'bison.jpg', taken: '2022:07:03 11:26:00', by: 'Kurt Kaiser' },
  { picture: 'brandenburg-gate', name: 'brandenburg-gate-at-dusk.jpg', taken: '2005:07:16 21:34:00', by: 'Evans1551' },
  { picture: 'hawa-mahal', name: 'hawa-mahal.jpg', taken: '2023:01:12 08:55:00', by: 'Janwiki' },
  { picture: 'koala', name: 'koala.jpg', taken: '2022:11:24 14:02:00', by: 'BurningWell' },
  { picture: 'moose', name: 'moose-in-a-meadow.jpg', taken: '2024:09:21 17:40:00', by: 'Ryan Hagerty' },
];

/** Pixels of a picture, enlarged, so that neither the camera's steps nor its corners show. */
type Source = { width: number; height: number; data: Buffer };

async function load(picture: string): Promise<Source> {
  const image = sharp(path.join(source as string, `${picture}.jpg`));
  const { width } = await image.metadata();
  const { data, info } = await image
    .resize({ width: 2 * width, kernel: 'lanczos3' })
    .sharpen({ sigma: 0.8 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Slow at both ends. */
const ease = (share: number): number => share * share * (3 - 2 * share);

const between = (from: View, to: View, share: number): View =>
  from.map((value, i) => value + ((to[i] as number) - value) * share) as View;

/** Draws what the camera sees. */
function draw({ width, height, data }: Source, [x, y, share]: View): Buffer {
  const seen = Math.min(share, (height / width) * (size.width / size.height)) * width;
  const scale = seen / size.width;
  const left = Math.min(width - seen, Math.max(0, x * width - seen / 2));
  const seenHeight = scale * size.height;
  const top = Math.min(height - seenHeight, Math.max(0, y * height - seenHeight / 2));
  const frame = Buffer.allocUnsafe(3 * size.width * size.height);
  let place = 0;
  for (let row = 0; row < size.height; row++) {
    const v = Math.min(height - 1.001, top + (row + 0.5) * scale);
    const line = Math.floor(v);
    const down = v - line;
    for (let column = 0; column < size.width; column++) {
      const u = Math.min(width - 1.001, left + (column + 0.5) * scale);
      const at = Math.floor(u);
      const right = u - at;
      let from = 3 * (line * width + at);
      for (let channel = 0; channel < 3; channel++, from++) {
        const above = (data[from] as number) * (1 - right) + (data[from + 3] as number) * right;
        const next = from + 3 * width;
        const below = (data[next] as number) * (1 - right) + (data[next + 3] as number) * right;
        frame[place++] = above * (1 - down) + below * down + 0.5;
      }
    }
  }
  return frame;
}

/** The frames of a film: each shot, and where it ends a mix with the beginning of the next. */
function* play(
  shots: Shot[],
  sources: Source[],
): Generator<{ image: { width: number; height: number; data: Buffer }; pts: number }> {
  const fade = Math.round(fadeSeconds * fps);
  let pts = 0;
  for (const [i, shot] of shots.entries()) {
    const count = Math.round(shot.seconds * fps);
    const frameOf = (n: number) => draw(sources[i] as Source, between(shot.from, shot.to, ease(n / (count - 1))));
    const next = shots[i + 1];
    // Its first frames were mixed with the last of the shot before.
    for (let n = i === 0 ? 0 : fade; n < count; n++) {
      const data = frameOf(n);
      const mixed = n - (count - fade);
      if (next && mixed >= 0) {
        const nextCount = Math.round(next.seconds * fps);
        const other = draw(sources[i + 1] as Source, between(next.from, next.to, ease(mixed / (nextCount - 1))));
        const share = (mixed + 1) / (fade + 1);
        for (let at = 0; at < data.length; at++)
          data[at] = (data[at] as number) * (1 - share) + (other[at] as number) * share;
      }
      yield { image: { ...size, data }, pts };
      pts += 1;
    }
  }
}

await mkdir(target, { recursive: true });
for (const { name, recordedAt, shots, subtitles } of films) {
  const sources = await Promise.all(shots.map(({ picture }) => load(picture)));
  const texts = subtitles ? { subtitleTracks: [{ lines: subtitles, language: 'eng' }] } : {};
  await encodeVideo(path.join(target, name), play(shots, sources), {
    ...size,
    fps,
    bitrate: '1.2M',
    recordedAt,
    ...texts,
  });
}
for (const { picture, name, taken, by } of photographs) {
  await sharp(path.join(source, `${picture}.jpg`))
    .withExif({ IFD0: { Artist: by }, IFD2: { DateTimeOriginal: taken } })
    .jpeg({ quality: 86, mozjpeg: true })
    .toFile(path.join(target, name));
}

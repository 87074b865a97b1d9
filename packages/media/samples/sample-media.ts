import { type Colour, makePhoto, makeVideo, type Paint, plain } from './draw-media.ts';
import type { SampleName } from './sample-names.ts';

const size = { width: 320, height: 180 };

type Draw = (file: string) => Promise<void>;

const clip =
  (...paints: Paint[]): Draw =>
  (file) =>
    makeVideo(file, { scenes: paints.map((paint) => ({ paint, seconds: 4 })), ...size });

const image =
  (paint: Paint): Draw =>
  (file) =>
    makePhoto(file, paint, { width: 640, height: 420 });

/** A number in 0..1 that looks random and is always the same for the same place. */
const noise = (a: number, b: number): number => {
  const value = Math.sin(a * 127.1 + b * 311.7) * 43_758.5453;
  return value - Math.floor(value);
};

// The functions below run for each of some 60 million pixels.

const blend = (a: Colour, b: Colour, share: number): Colour => {
  const part = Math.min(1, Math.max(0, share));
  return [
    Math.round(a[0] + (b[0] - a[0]) * part),
    Math.round(a[1] + (b[1] - a[1]) * part),
    Math.round(a[2] + (b[2] - a[2]) * part),
  ];
};

const within = (x: number, y: number, left: number, top: number, radius: number): boolean =>
  (x - left) ** 2 + ((y - top) * (9 / 16)) ** 2 < radius ** 2;

const sunset: Paint = (x, y, time) => {
  if (within(x, y, 0.5, 0.42 + 0.03 * time, 0.09)) return [255, 236, 160];
  if (y < 0.62) return blend([120, 40, 90], [255, 150, 40], y / 0.62);
  const glitters =
    Math.abs(x - 0.5) < 0.25 && noise(Math.floor(x * 80), Math.floor(y * 60) + Math.floor(time * 6)) > 0.8;
  return glitters ? [255, 200, 120] : blend([150, 70, 60], [40, 20, 50], (y - 0.62) / 0.38);
};

const balloon: Paint = (x, y, time) => {
  const height = 0.75 - 0.12 * time;
  const middle = 0.5 + 0.03 * Math.sin(2 * time);
  if (within(x, y, middle, height, 0.09)) return [215, 25, 30];
  if (Math.abs(x - middle) < 0.004 && y > height && y < height + 0.32) return [250, 250, 250];
  return blend([60, 130, 220], [170, 210, 245], y);
};

const city: Paint = (x, y, time) => {
  const skyline = 0.35 + 0.25 * noise(Math.floor(x * 14), 3);
  if (y < skyline) return [6, 8, 20];
  const [column, row] = [Math.floor(x * 56), Math.floor(y * 34)];
  const shines = noise(column, row) > 0.72 && noise(column + Math.floor(time * 2), row) > 0.12;
  return shines ? [250, 210, 110] : [14, 16, 28];
};

const hills: Paint = (x, y, time) => {
  const far = 0.5 + 0.06 * Math.sin(5 * x + 0.4 * time);
  if (y < far) return blend([90, 160, 235], [200, 225, 245], y / far);
  const near = 0.68 + 0.08 * Math.sin(4 * x + 2 + 0.9 * time);
  return y < near ? [70, 140, 60] : blend([60, 150, 40], [30, 95, 25], (y - near) * 3);
};

const checkers: Paint = (x, y, time) =>
  (Math.floor((x - 0.6 * time) * 12) + Math.floor(y * 7)) % 2 === 0 ? [20, 20, 20] : [235, 235, 235];

const snowfall: Paint = (x, y, time) => {
  const column = Math.floor(x * 60);
  const fall = y * 34 - time * (5 + 4 * noise(column, 1));
  return noise(column, Math.floor(fall)) > 0.93 ? [250, 252, 255] : blend([120, 135, 155], [185, 195, 208], y);
};

const harbour: Paint = (x, y, time) => {
  const ferry = 0.1 + 0.15 * time;
  if (y > 0.5 && y < 0.6 && x > ferry && x < ferry + 0.22) return [235, 235, 230];
  if (y > 0.42 && y < 0.5 && x > ferry + 0.05 && x < ferry + 0.15) return [200, 40, 40];
  return y < 0.55 ? blend([150, 190, 220], [215, 225, 230], y) : blend([40, 90, 130], [15, 45, 80], (y - 0.55) * 2);
};

const strawberry: Paint = (x, y) => {
  if (within(x, y, 0.5, 0.36, 0.06)) return [50, 140, 50];
  const width = 0.19 * Math.sqrt(Math.max(0, 1 - ((y - 0.35) / 0.4) ** 2));
  if (y > 0.35 && y < 0.75 && Math.abs(x - 0.5) < width) {
    return noise(Math.floor(x * 60), Math.floor(y * 40)) > 0.85 ? [240, 200, 90] : [205, 20, 40];
  }
  return [252, 252, 252];
};

const forest: Paint = (x, y) => {
  const trunk = Math.abs(((x * 9) % 1) - 0.5) < 0.08 && y > 0.35;
  return trunk ? [60, 42, 28] : blend([20, 70, 30], [60, 130, 50], noise(Math.floor(x * 120), Math.floor(y * 80)));
};

const stripes: Paint = (x) => (Math.floor(x * 16) % 2 === 0 ? [12, 12, 12] : [245, 245, 245]);

/** Clips and images that show a new user what can be found: colours, light, texture, motion, words. */
export const drawSample: Record<SampleName, Draw> = {
  'Sunset over the sea.mp4': clip(sunset),
  'Red balloon in a blue sky.mp4': clip(balloon),
  'City lights at night.mp4': clip(city),
  'Green hills.mp4': clip(hills),
  'Checkerboard in motion.mp4': clip(checkers),
  'Snowfall.mp4': clip(snowfall),
  'Three scenes.mp4': clip(plain(200, 30, 30), hills, sunset),
  'Harbour with subtitles.mkv': (file) =>
    makeVideo(file, {
      scenes: [
        { paint: harbour, seconds: 4 },
        { paint: city, seconds: 4 },
      ],
      ...size,
      subtitles: [
        { start: 0.5, end: 3.5, text: 'The ferry leaves at noon.' },
        { start: 4.5, end: 7.5, text: 'At night nobody is on the quay.' },
      ],
    }),
  'Strawberry on white.jpg': image(strawberry),
  'Forest.jpg': image(forest),
  'Black and white stripes.png': image(stripes),
  'Purple dusk.webp': image((_, y) => blend([60, 20, 110], [200, 90, 160], y)),
};

import type { RgbImage } from '@media-search/media/rgb-image';

/**
 * Films whose shot changes are known, made of images under a simulated moving camera: changes of every kind, and motion that
 * only looks like one.
 */

export const frameSize = { width: 320, height: 180 };
/** Size of the source images: twice that of a frame, so that the camera can move. */
export const sourceSize = { width: 640, height: 360 };

/** `position` is the number of the shot; in a gradual change with the share (0..1) of the next one added. */
export type FilmFrame = { image: RgbImage; pts: number; position: number };
export type Film = { fps: number; frames: Iterable<FilmFrame> };

export type Random = () => number;
/** The frame of a shot at a time since its start, seconds. */
type Layer = (time: number) => Uint8Array;
type Shot = { seconds: number; layer: Layer };
type View = { x: number; y: number; zoom: number };

/** Numbers evenly in 0..1, always the same for a seed (mulberry32, Tommy Ettinger, 2017). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (random: Random, low: number, high: number): number => low + (high - low) * random();
const pick = <T>(random: Random, list: T[]): T => list[Math.floor(random() * list.length)] as T;
const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const { width, height } = frameSize;
const blank = (): Uint8Array => Buffer.alloc(width * height * 3);

/** What the camera sees: `zoom` (0..1] of the image's width, `x` and `y` (0..1) of the way that is left. Bilinear. */
function renderView(source: RgbImage, { x, y, zoom }: View): Uint8Array {
  const out = blank();
  const scale = (zoom * source.width) / width;
  const left = clamp(x) * (source.width - scale * width);
  const top = clamp(y) * (source.height - scale * height);
  const { data } = source;
  const stride = source.width * 3;
  let to = 0;
  for (let row = 0; row < height; row++) {
    const sourceY = Math.min(source.height - 1.001, top + (row + 0.5) * scale);
    const down = sourceY % 1;
    const line = Math.floor(sourceY) * stride;
    for (let column = 0; column < width; column++) {
      const sourceX = Math.min(source.width - 1.001, left + (column + 0.5) * scale);
      const right = sourceX % 1;
      let from = line + Math.floor(sourceX) * 3;
      for (let channel = 0; channel < 3; channel++, from++, to++) {
        const upper = (data[from] as number) * (1 - right) + (data[from + 3] as number) * right;
        const lower = (data[from + stride] as number) * (1 - right) + (data[from + stride + 3] as number) * right;
        out[to] = upper * (1 - down) + lower * down;
      }
    }
  }
  return out;
}

/** Maps each byte of an image, with its place, to another. */
function mapBytes(data: Uint8Array, by: (value: number, index: number) => number): Uint8Array {
  const out = blank();
  for (let i = 0; i < data.length; i++) out[i] = Math.min(255, Math.max(0, by(data[i] as number, i)));
  return out;
}

const mix = (a: Uint8Array, b: Uint8Array, share: number): Uint8Array =>
  mapBytes(a, (value, i) => value + ((b[i] as number) - value) * share);

const randomView = (random: Random): View => ({ x: random(), y: random(), zoom: between(random, 0.55, 0.9) });

/** A slow pan and zoom, as from a hand-held camera; `restless` (image widths) is how far the hand trembles. */
function filmed(random: Random, source: RgbImage, seconds: number, restless = 0): Shot {
  const from = randomView(random);
  const to = {
    x: from.x + between(random, -0.25, 0.25) * seconds,
    y: from.y + between(random, -0.2, 0.2) * seconds,
    zoom: Math.min(1, Math.max(0.5, from.zoom + between(random, -0.04, 0.04) * seconds)),
  };
  const waves = Array.from({ length: 4 }, () => ({ speed: between(random, 15, 50), phase: between(random, 0, 6) }));
  const tremble = (time: number, first: number) =>
    restless * waves.slice(first, first + 2).reduce((sum, { speed, phase }) => sum + Math.sin(speed * time + phase), 0);
  const still = random() < 0.25 && restless === 0;
  return {
    seconds,
    layer(time) {
      const share = still ? 0 : time / seconds;
      return renderView(source, {
        x: from.x + (to.x - from.x) * share + tremble(time, 0),
        y: from.y + (to.y - from.y) * share + tremble(time, 2),
        zoom: from.zoom + (to.zoom - from.zoom) * share,
      });
    },
  };
}

/** A whip from one side of an image to the other, blurred as by an exposure of half a frame. */
function whipPanned(random: Random, source: RgbImage, seconds: number): Shot {
  const began = between(random, 0.3, 0.6) * seconds;
  const lasts = between(random, 0.2, 0.5);
  const rightward = random() < 0.5;
  const y = random();
  const zoom = 0.5;
  const at = (time: number): View => {
    const share = clamp((time - began) / lasts);
    const eased = share * share * (3 - 2 * share);
    return { x: rightward ? eased : 1 - eased, y, zoom };
  };
  return {
    seconds,
    layer(time) {
      if (time < began || time > began + lasts) return renderView(source, at(time));
      const parts = Array.from({ length: 4 }, (_, i) => renderView(source, at(time + i / 200)));
      return mapBytes(parts[0] as Uint8Array, (_, i) => parts.reduce((sum, part) => sum + (part[i] as number), 0) / 4);
    },
  };
}

/** Flashes of one to four frames, over all of the image or a part, up to three times. */
function flashed(random: Random, { seconds, layer }: Shot): Shot {
  const flashes = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    at: between(random, 0.2, seconds - 0.4),
    lasts: (1 + Math.floor(random() * 4)) / 25,
    strength: between(random, 0.6, 1),
    partial: random() < 0.5,
    x: random() * width,
    y: random() * height,
    reach: between(random, 80, 200),
  }));
  return {
    seconds,
    layer(time) {
      const flash = flashes.find(({ at, lasts }) => time >= at && time < at + lasts);
      if (!flash) return layer(time);
      return mapBytes(layer(time), (value, i) => {
        const pixel = Math.floor(i / 3);
        const distance = Math.hypot((pixel % width) - flash.x, Math.floor(pixel / width) - flash.y);
        const here = flash.partial ? clamp(1.5 - distance / flash.reach) : 1;
        return value + 235 * flash.strength * here;
      });
    },
  };
}

/** A large object that crosses the foreground, such as a car or a passer-by. */
function occluded(random: Random, { seconds, layer }: Shot, object: RgbImage): Shot {
  const seen = renderView(object, randomView(random));
  const began = between(random, 0.2, 0.4) * seconds;
  const lasts = between(random, 0.5, 1.2);
  const wide = between(random, 0.35, 0.7);
  const high = between(random, 0.6, 1);
  return {
    seconds,
    layer(time) {
      const left = Math.round(width * (-wide + ((1 + wide) * (time - began)) / lasts));
      return mapBytes(layer(time), (value, i) => {
        const x = (Math.floor(i / 3) % width) - left;
        const y = Math.floor(i / 3 / width);
        const inside = x >= 0 && x < wide * width && y > (1 - high) * height;
        return inside ? (seen[i - left * 3] ?? value) : value;
      });
    },
  };
}

/** Light that goes up or down: slowly as a cloud passes, or within a quarter of a second as a camera sets its exposure. */
function relit(random: Random, { seconds, layer }: Shot): Shot {
  const began = between(random, 0.2, 0.4) * seconds;
  const lasts = pick(random, [0.25, 0.5, 1.5]);
  const [low, high] = [between(random, 0.3, 0.6), between(random, 0.9, 1.3)];
  const rising = random() < 0.5;
  return {
    seconds,
    layer(time) {
      const share = clamp((time - began) / lasts);
      const gain = low + (high - low) * (rising ? share : 1 - share);
      return mapBytes(layer(time), (value) => value * gain);
    },
  };
}

/** Grain as of a small sensor in bad light: `gain` darkens, `grain` is the noise's standard deviation (0..255). */
function grainy(random: Random, { seconds, layer }: Shot, gain: number, grain: number): Shot {
  const noise = Float32Array.from(
    { length: 65_536 },
    () => grain * (random() + random() + random() + random() - 2) * 1.73,
  );
  return {
    seconds,
    layer(time) {
      const offset = Math.floor(random() * 65_536);
      // Grain does not repeat from row to row: the table's length and the row's have no common measure that shows.
      return mapBytes(layer(time), (value, i) => value * gain + (noise[(offset + i * 7) & 65_535] as number));
    },
  };
}

/** Plain figures: discs and bars on one colour, as in drawn films, slides and screens. */
function drawn(random: Random, seconds: number): Shot {
  const colour = () => [between(random, 0, 255), between(random, 0, 255), between(random, 0, 255)];
  const ground = colour();
  const figures = Array.from({ length: 3 }, () => ({
    ink: colour(),
    x: random() * width,
    y: random() * height,
    size: between(random, 20, 70),
    speed: between(random, -80, 80),
    round: random() < 0.5,
  }));
  return {
    seconds,
    layer(time) {
      return mapBytes(blank(), (_, i) => {
        const x = Math.floor(i / 3) % width;
        const y = Math.floor(i / 3 / width);
        const figure = figures.find((each) => {
          const across = Math.abs(x - each.x - each.speed * time);
          const down = Math.abs(y - each.y);
          return each.round ? Math.hypot(across, down) < each.size : Math.max(across, down) < each.size;
        });
        return (figure?.ink ?? ground)[i % 3] as number;
      });
    },
  };
}

type Transition = { kind: 'cut' | 'dissolve' | 'wipe' | 'fade'; seconds: number };

/** Shots one after the other at these times; what is seen at a time of the film, seconds, and where that is. */
function splice(shots: Shot[], transitions: Transition[]) {
  const starts = [0];
  for (const [i, { seconds }] of shots.slice(0, -1).entries()) {
    const { kind, seconds: overlap } = transitions[i] as Transition;
    // A fade has both halves in shots of their own; of a dissolve and a wipe they lie over each other.
    starts.push((starts[i] as number) + seconds - (kind === 'fade' ? 0 : overlap));
  }
  const length = (starts.at(-1) as number) + (shots.at(-1) as Shot).seconds;
  function at(time: number): { data: Uint8Array; position: number } {
    const next = starts.findIndex((start) => start > time + 1e-9);
    const number = next === -1 ? shots.length - 1 : next - 1;
    const data = (shots[number] as Shot).layer(time - (starts[number] as number));
    const into = transitions[number - 1];
    const since = time - (starts[number] as number);
    if (into && since < into.seconds && into.kind !== 'cut' && into.kind !== 'fade') {
      const share = since / into.seconds;
      const old = (shots[number - 1] as Shot).layer(time - (starts[number - 1] as number));
      const both = into.kind === 'dissolve' ? mix(old, data, share) : wipe(old, data, share);
      return { data: both, position: number - 1 + share };
    }
    const out = transitions[number];
    const left = (starts[number + 1] ?? Infinity) - time;
    // Two fifths out, one fifth black, two fifths in, around the point where the shots meet.
    if (out?.kind === 'fade' && left < out.seconds / 2) {
      const light = clamp((left / out.seconds - 0.1) / 0.4);
      return { data: mapBytes(data, (value) => value * light), position: number + 0.5 - left / out.seconds };
    }
    if (into?.kind === 'fade' && since < into.seconds / 2) {
      const light = clamp((since / into.seconds - 0.1) / 0.4);
      return { data: mapBytes(data, (value) => value * light), position: number - 0.5 + since / into.seconds };
    }
    return { data, position: number };
  }
  return { length, at };
}

const wipe = (old: Uint8Array, fresh: Uint8Array, share: number): Uint8Array =>
  mapBytes(old, (value, i) => (Math.floor(i / 3) % width < share * width ? (fresh[i] as number) : value));

/** How ticks of the clock become frames: the places that have one, and the time that it shows. */
type Pacing = { fps: number; places: (length: number, random: Random) => Iterable<{ place: number; time: number }> };

function everyTick(fps: number, shown: (place: number) => number = (place) => place): Pacing {
  return {
    fps,
    *places(length) {
      for (let place = 0; place < Math.floor(length * fps); place++) yield { place, time: shown(place) / fps };
    },
  };
}

/** As phones and screen recorders do: runs of 60, 30, 20 and 15 frames a second. */
const varying: Pacing = {
  fps: 60,
  *places(length, random) {
    let step = 2;
    for (let place = 0; place < length * 60; place += step) {
      yield { place, time: place / 60 };
      if (random() < 0.1) step = 1 + Math.floor(random() * 4);
    }
  },
};

type Kind = { pacing?: Pacing; transition?: Transition['kind']; shot: (random: Random, sources: RgbImage[]) => Shot };

const anyShot = (random: Random, sources: RgbImage[], restless = 0): Shot =>
  filmed(random, pick(random, sources), between(random, 2, 4.5), restless);

/** Kinds of films, each of twelve shots. Where no transition is named it is the hard cut. */
export const kinds: Record<string, Kind> = {
  'hard cuts': { shot: anyShot },
  'hard cuts, short shots': {
    shot: (random, sources) => filmed(random, pick(random, sources), between(random, 0.6, 1.2)),
  },
  'hard cuts within one image': {
    shot: (random, [source]) => filmed(random, source as RgbImage, between(random, 2, 4)),
  },
  'fades through black': { transition: 'fade', shot: anyShot },
  dissolves: { transition: 'dissolve', shot: anyShot },
  wipes: { transition: 'wipe', shot: anyShot },
  flashes: { shot: (random, sources) => flashed(random, anyShot(random, sources)) },
  'camera shake': { shot: (random, sources) => anyShot(random, sources, between(random, 0.02, 0.08)) },
  'quick pans': { shot: (random, sources) => whipPanned(random, pick(random, sources), between(random, 2, 4)) },
  'objects that cross': {
    shot: (random, sources) => occluded(random, anyShot(random, sources), pick(random, sources)),
  },
  'changes of light': { shot: (random, sources) => relit(random, anyShot(random, sources)) },
  noise: { shot: (random, sources) => grainy(random, anyShot(random, sources), 1, between(random, 10, 30)) },
  'low light': {
    shot: (random, sources) =>
      grainy(random, anyShot(random, sources), between(random, 0.15, 0.3), between(random, 3, 8)),
  },
  '12 frames a second in 24': { pacing: everyTick(24, (place) => place - (place % 2)), shot: anyShot },
  'telecine, 24 in 30': { pacing: everyTick(30, (place) => place - (place % 5 === 4 ? 1 : 0)), shot: anyShot },
  'variable frame rate': { pacing: varying, shot: anyShot },
  'dissolves at a variable frame rate': { pacing: varying, transition: 'dissolve', shot: anyShot },
  drawn: { shot: (random) => drawn(random, between(random, 1.5, 3.5)) },
};

const shotsPerFilm = 12;

/** A film of a kind from these images of the source size; the same for the same seed. */
export function makeFilm(
  { pacing = everyTick(25), transition = 'cut', shot }: Kind,
  sources: RgbImage[],
  seed: number,
): Film {
  const random = createRandom(seed);
  const order = sources.toSorted(() => random() - 0.5);
  const shots = Array.from({ length: shotsPerFilm }, () => shot(random, order));
  const transitions = shots.slice(1).map(() => {
    const seconds = transition === 'fade' ? between(random, 0.8, 2) : between(random, 0.4, 1.5);
    return { kind: transition, seconds: transition === 'cut' ? 0 : seconds };
  });
  const { length, at } = splice(shots, transitions);
  function* frames(): Generator<FilmFrame> {
    for (const { place, time } of pacing.places(length, random)) {
      const { data, position } = at(time);
      yield { image: { ...frameSize, data }, pts: place, position };
    }
  }
  return { fps: pacing.fps, frames: frames() };
}

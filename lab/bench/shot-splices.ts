import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { filterToRgb } from '@media-search/media/decode-video';
import type { RgbImage } from '@media-search/media/rgb-image';
import { FilterAPI } from 'node-av/api';
import { forEachFrame } from './each-frame.ts';
import { createRandom, type Film, type FilmFrame, frameSize } from './shot-films.ts';

/** Films of pieces of real clips, with real camera motion, joined by hard cuts or dissolves. */

const fps = 25;
/** Frames of a piece. */
const [shortest, longest] = [30, 60];
/** Frames of a dissolve. */
const overlap = 16;

export type Splice = { kind: string; film: Film };

/** Two films, one of each kind, for each seed. The clips should hold no change of shots themselves. */
export async function makeSplices(folder: string, seeds: number[]): Promise<Splice[]> {
  const clips = (await readdir(folder)).filter((name) => /\.(mp4|webm|mkv|avi|mov)$/i.test(name)).toSorted();
  const pieces = await Promise.all(clips.map((clip) => readPieces(path.join(folder, clip))));
  return seeds.flatMap((seed) => {
    const random = createRandom(seed);
    const order = pieces
      .filter((some) => some.length > 0)
      .map((some) => ({ some, place: random() }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ some }) => {
        const piece = some[Math.floor(random() * some.length)] as RgbImage[];
        return piece.slice(0, shortest + Math.floor((piece.length - shortest) * random()));
      });
    return [
      { kind: 'real clips, hard cuts', film: { fps, frames: splice(order, 0) } },
      { kind: 'real clips, dissolves', film: { fps, frames: splice(order, overlap) } },
    ];
  });
}

/** The pieces of a clip that can be used: at its start, after four seconds, after eight, …, at most four. */
async function readPieces(file: string): Promise<RgbImage[][]> {
  const { width, height } = frameSize;
  const pieces: RgbImage[][] = [];
  using filter = FilterAPI.create(`scale=${width}:${height},format=rgb24`);
  await forEachFrame(file, async (frame, time) => {
    const place = Math.floor(time / 4);
    const piece = (pieces[place] ??= []);
    if (piece.length < longest) piece.push(...(await filterToRgb(filter, frame)));
    return place < 4;
  });
  return pieces.slice(0, 4).filter((piece) => piece.length === longest);
}

/** Joins pieces; each change takes so many frames of both. */
function* splice(pieces: RgbImage[][], shared: number): Generator<FilmFrame> {
  let pts = 0;
  for (const [shot, piece] of pieces.entries()) {
    const next = pieces[shot + 1];
    const alone = next ? piece.length - shared : piece.length;
    for (const image of piece.slice(shot === 0 ? 0 : shared, alone)) yield { image, pts: pts++, position: shot };
    if (!next) return;
    for (let i = 0; i < shared; i++) {
      const share = (i + 1) / (shared + 1);
      const image = blend(piece[alone + i] as RgbImage, next[i] as RgbImage, share);
      yield { image, pts: pts++, position: shot + share };
    }
  }
}

function blend(a: RgbImage, b: RgbImage, share: number): RgbImage {
  const data = Buffer.alloc(a.data.length);
  for (let i = 0; i < data.length; i++) data[i] = (1 - share) * (a.data[i] as number) + share * (b.data[i] as number);
  return { ...a, data };
}

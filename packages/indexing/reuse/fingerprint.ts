import { cells, type FrameDescriptor, normalise } from './frame-descriptor.ts';
import type { ComparedFrame } from './frame-kernel.ts';

/** Raised when fingerprints are made otherwise: those of other versions are not compared, and made again. */
export const fingerprintVersion = 2;

/** Frames of a second in a fingerprint: quick movements look otherwise after half a second. */
export const framesPerSecond = 4;

/** Bytes of a frame: its brightness, its contrast, and four bits of each cell. */
export const frameBytes = 2 + cells / 2;
/** How far from the mean cells are told apart, in standard deviations. */
const range = 2.5;
const steps = 15;

/**
 * The frames of an item by which it is recognised in others, four of a second, the first at time 0; of a photograph one. Null: nothing is there, or what is there
 * says nothing.
 */
export type Fingerprint = (FrameDescriptor | null)[];

/** A fingerprint as it is stored: 200 bytes for each second of a video, 50 for a photograph. */
export function encodeFingerprint(frames: Fingerprint): Uint8Array {
  const bytes = new Uint8Array(frames.length * frameBytes);
  for (const [i, frame] of frames.entries()) {
    if (!frame) continue;
    const at = i * frameBytes;
    bytes[at] = Math.round(frame.mean);
    // 0 stands for a frame that says nothing.
    bytes[at + 1] = Math.max(1, Math.round(frame.deviation));
    for (let cell = 0; cell < cells; cell += 2) {
      bytes[at + 2 + cell / 2] = (toStep(frame.cells[cell]!) << 4) | toStep(frame.cells[cell + 1]!);
    }
  }
  return bytes;
}

const toStep = (value: number): number =>
  Math.max(0, Math.min(steps, Math.round(((value * Math.sqrt(cells) + range) / (2 * range)) * steps)));

/** The frames of an item as they are compared. Null: nothing is there, or what is there says nothing. */
export type Frames = { length: number; at: (place: number) => ComparedFrame | null };

/** Opens a stored fingerprint. Its frames are read when they are asked for, and kept with what is made of them. */
export function openFingerprint(bytes: Uint8Array): Frames {
  const length = Math.floor(bytes.length / frameBytes);
  const read: (ComparedFrame | null | undefined)[] = Array.from({ length });
  return {
    length,
    at(place) {
      const known = read[place];
      if (known !== undefined) return known;
      const start = place * frameBytes;
      const isShown = place >= 0 && place < length && bytes[start + 1] !== 0;
      const frame = isShown ? { cells: readCells(bytes, start + 2), rough: -1, crops: -1 } : null;
      if (place >= 0 && place < length) read[place] = frame;
      return frame;
    },
  };
}

function readCells(bytes: Uint8Array, start: number): Float32Array {
  const values = new Float32Array(cells);
  for (let cell = 0; cell < cells; cell += 2) {
    const pair = bytes[start + cell / 2]!;
    values[cell] = pair >> 4;
    values[cell + 1] = pair & 15;
  }
  normalise(values);
  return values;
}

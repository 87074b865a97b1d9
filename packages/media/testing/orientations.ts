import { readFile, writeFile } from 'node:fs/promises';
import type { Colour, Paint } from '../samples/draw-media.ts';

/** The part of a display matrix that turns: where a step to the right (a, b) and one downwards (c, d) lead when shown. */
export type DisplayMatrix = readonly [a: number, b: number, c: number, d: number];

/** All eight ways in which a picture may have to be set upright. */
export const orientations: [name: string, matrix: DisplayMatrix][] = [
  ['upright', [1, 0, 0, 1]],
  ['turned by 90°', [0, 1, -1, 0]],
  ['turned by 180°', [-1, 0, 0, -1]],
  ['turned by 270°', [0, -1, 1, 0]],
  ['mirrored', [-1, 0, 0, 1]],
  ['upside down', [1, 0, 0, -1]],
  ['mirrored and turned by 90°', [0, -1, -1, 0]],
  ['mirrored and turned by 270°', [0, 1, 1, 0]],
];

const corners: [x: number, y: number, colour: Colour][] = [
  [0.2, 0.2, [210, 30, 30]],
  [0.8, 0.2, [30, 160, 40]],
  [0.2, 0.8, [30, 50, 200]],
  [0.8, 0.8, [220, 210, 40]],
];

/** Four quarters of different colours. */
export const quarters: Paint = (x, y) => corners[(y < 0.5 ? 0 : 2) + (x < 0.5 ? 0 : 1)]?.[2] ?? [0, 0, 0];

/** The colours that `quarters` shows at its corners (top left and right, bottom left and right) by a display matrix. */
export function expectedCorners([a, b, c, d]: DisplayMatrix): Colour[] {
  const shown = corners.map(([x, y, colour]) => ({
    x: a * (x - 0.5) + c * (y - 0.5),
    y: b * (x - 0.5) + d * (y - 0.5),
    colour,
  }));
  const order = (place: { x: number; y: number }) => (place.y < 0 ? 0 : 2) + (place.x < 0 ? 0 : 1);
  return shown.toSorted((one, other) => order(one) - order(other)).map(({ colour }) => colour);
}

/** Writes a display matrix into the header of the first track of an MP4 or MOV (ISO/IEC 14496-12, 8.3.2). */
export async function setDisplayMatrix(file: string, [a, b, c, d]: DisplayMatrix): Promise<void> {
  const bytes = await readFile(file);
  const matrix = bytes.indexOf('tkhd') + 44;
  for (const [i, value] of [a, b, 0, c, d, 0].entries()) bytes.writeInt32BE(value * 0x10000, matrix + 4 * i);
  await writeFile(file, bytes);
}

/** Whether each of four colours is nearer to what is expected there than any other of them. */
export const areNear = (found: ArrayLike<number>[], expected: Colour[]): boolean =>
  expected.every((colour, i) => colour.every((value, channel) => Math.abs((found[i]?.[channel] ?? -999) - value) < 40));

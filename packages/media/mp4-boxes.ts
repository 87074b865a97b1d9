import type { FileHandle } from 'node:fs/promises';
import { readBytes } from './read-bytes.ts';

/** At most so many boxes of the top level are read in search of the header. */
const maxBoxes = 10_000;
/** A longer header is not read, bytes. Ten hours of film have about 20 MB. */
const maxMoovBytes = 64 * 2 ** 20;

/** The content of the `moov` box, undefined where there is none or it is too large. */
export async function readMoovBox(file: FileHandle): Promise<Buffer | undefined> {
  let at = 0;
  for (let i = 0; i < maxBoxes; i++) {
    const head = await readBytes(file, at, 16);
    if (head.length < 8) return undefined;
    const short = head.readUInt32BE();
    const long = short === 1 && head.length === 16;
    const size = long ? Number(head.readBigUInt64BE(8)) : short;
    const headLength = long ? 16 : 8;
    if (head.toString('latin1', 4, 8) === 'moov') {
      return size <= maxMoovBytes ? readBytes(file, at + headLength, Math.max(0, size - headLength)) : undefined;
    }
    // A size of 0 reaches to the end of the file.
    if (size < headLength) return undefined;
    at += size;
  }
  return undefined;
}

/** The contents of the boxes of a type that lie directly in a box. */
export function childBoxes(content: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 8 <= content.length;) {
    const size = content.readUInt32BE(at);
    if (size < 8 || at + size > content.length) break;
    if (content.toString('latin1', at + 4, at + 8) === type) found.push(content.subarray(at + 8, at + size));
    at += size;
  }
  return found;
}

/** The content of the first box on a path of types. */
export function findBox(content: Buffer, ...types: string[]): Buffer | undefined {
  let inside: Buffer | undefined = content;
  for (const type of types) inside = inside && childBoxes(inside, type)[0];
  return inside;
}

/** A number in a box, or undefined where it is cut off. */
export const readUint32At = (content: Buffer | undefined, at: number): number | undefined =>
  content && at + 4 <= content.length ? content.readUInt32BE(at) : undefined;

/** Where the fields after the times of creation and change begin: these take 64 bits each in version 1. */
export const offsetAfterTimes = (content: Buffer | undefined): number => (content?.[0] === 1 ? 20 : 12);

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Reading and writing bytes of a file in pieces, with their checksum (CRC-32): other work of the thread goes on in between. */

/** Small enough that a piece is still in the processor's cache when its checksum is computed. */
const pieceBytes = 2 ** 22;
/** Pieces that are read at the same time: as many as Node has threads for files. They also have the system give memory at the same time. */
const readsAtOnce = 4;

/** Writes some bytes at the end of a file. @returns the checksum */
export async function writePieces(handle: FileHandle, bytes: Uint8Array): Promise<number> {
  let sum = 0;
  // One for all: what so large blocks leave behind is kept by the allocator: 50 MB after 100,000 chunks.
  const copy = new Uint8Array(Math.min(pieceBytes, bytes.length));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = copy.subarray(0, Math.min(pieceBytes, bytes.length - at));
    // Copied first, because the links change while they are written.
    piece.set(bytes.subarray(at, at + piece.length));
    sum = crc32(piece, sum);
    await handle.writeFile(piece);
  }
  return sum;
}

/** Fills some bytes from a place in the file. @returns their checksum; null when the file ends before */
export async function readPieces(handle: FileHandle, bytes: Uint8Array, from: number): Promise<number | null> {
  const reads: Promise<boolean>[] = [];
  const read = (at: number) => {
    if (at >= bytes.length) return;
    const begun = fill(handle, bytes.subarray(at, at + pieceBytes), from + at);
    // It fails where it is waited for, also if one before is still being read: nobody's failure would end the thread.
    begun.catch(() => undefined);
    reads.push(begun);
  };
  for (let i = 0; i < readsAtOnce; i++) read(i * pieceBytes);
  try {
    let sum = 0;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      if (!(await reads[at / pieceBytes])) return null;
      read(at + readsAtOnce * pieceBytes);
      sum = crc32(bytes.subarray(at, at + pieceBytes), sum);
    }
    return sum;
  } finally {
    // What is still being read has an end before the memory is used otherwise.
    await Promise.allSettled(reads);
  }
}

/** Fills some bytes from a place in the file. @returns false when the file ends before */
async function fill(handle: FileHandle, bytes: Uint8Array, from: number): Promise<boolean> {
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, from + at);
    if (bytesRead === 0) return false;
    at += bytesRead;
  }
  return true;
}

/** @returns the checksum of a part of a file; null when the file ends before */
export async function sumPieces(handle: FileHandle, length: number, from: number): Promise<number | null> {
  const piece = new Uint8Array(Math.min(length, pieceBytes));
  let sum = 0;
  for (let at = 0; at < length;) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(piece.length, length - at), from + at);
    if (bytesRead === 0) return null;
    sum = crc32(piece.subarray(0, bytesRead), sum);
    at += bytesRead;
  }
  return sum;
}

import { createHash } from 'node:crypto';

/** Bytes at the head and at the tail of a file that tell it from others. */
const partBytes = 64 * 1024;
/** Files up to this size are hashed whole when they are indexed: reading them takes less than decoding them. */
export const wholeBytes = 256 * 2 ** 20;

/** What bytes are read of at a position, such as the handle of a file. */
type Hashable = {
  read(
    buffer: Buffer,
    offset: number,
    length: number | null,
    position: number,
  ): Promise<{ bytesRead: number; buffer: Buffer }>;
};

/** SHA-256 of the length, the head and the tail of a file, hexadecimal: two reads, however long it is. Shows a renamed file, proves nothing. */
export async function hashEnds(handle: Hashable, size: number): Promise<string> {
  const hash = createHash('sha256').update(`${size}\n`);
  for (const start of new Set([0, Math.max(0, size - partBytes)])) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(partBytes, size)), 0, null, start);
    hash.update(buffer.subarray(0, bytesRead));
  }
  return hash.digest('hex');
}

/** SHA-256 of all of a file, hexadecimal; null for one that is too long for that. */
export async function hashWhole(handle: Hashable, size: number): Promise<string | null> {
  if (size > wholeBytes) return null;
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(2 ** 20);
  // One that grows meanwhile has no end.
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

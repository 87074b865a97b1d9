import type { FileHandle } from 'node:fs/promises';

/** Bytes of a file from a place on; fewer where it ends. */
export async function readBytes(file: FileHandle, at: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(at)) return Buffer.alloc(0);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

import { type FileHandle, open } from 'node:fs/promises';

/**
 * Whether a rendition exists and is as long as its own structure says: WebP (RIFF), MP4 (boxes), PNG and JPEG (their ends). It finds
 * truncated and empty files, not single changed bytes.
 */
export async function hasCompleteStructure(file: string): Promise<boolean> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    const head = await read(handle, 0, 16);
    if (head.length < 16) return false;
    const name = head.toString('latin1', 0, 4);
    if (name === 'RIFF') return head.readUInt32LE(4) + 8 === size;
    if (head.toString('latin1', 4, 8) === 'ftyp') return await hasCompleteBoxes(handle, size);
    if (name === '\u0089PNG') return (await read(handle, size - 8, 4)).toString('latin1') === 'IEND';
    if (head.readUInt16BE(0) === 0xff_d8) return (await read(handle, size - 2, 2)).readUInt16BE(0) === 0xff_d9;
    return false;
  } catch (error) {
    // The disk cannot read it.
    if (error instanceof Error && 'code' in error && error.code === 'EIO') return false;
    throw error;
  } finally {
    await handle.close();
  }
}

/** Follows the boxes (ISO/IEC 14496-12, 4.2): the last one must end where the file does. */
async function hasCompleteBoxes(handle: FileHandle, size: number): Promise<boolean> {
  let position = 0;
  while (position < size) {
    const head = await read(handle, position, 16);
    if (head.length < 8) return false;
    let length = head.readUInt32BE(0);
    // 0: to the end of the file; 1: the length follows, in 64 bits.
    if (length === 0) return true;
    if (length === 1) length = head.length < 16 ? 0 : Number(head.readBigUInt64BE(8));
    if (length < 8) return false;
    position += length;
  }
  return position === size;
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, Math.max(0, position));
  return buffer.subarray(0, bytesRead);
}

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** What is wrong with an original: its file is not there, or it does not hold what was uploaded. */
export type OriginalProblem = 'original_missing' | 'original_damaged';

const blockBytes = 256 * 1024;

/** Compares the length of an original with what was uploaded. It costs one `stat`. */
export async function checkLength(file: string, size: number): Promise<OriginalProblem | null> {
  try {
    const found = await stat(file);
    return found.isFile() && found.size === size ? null : 'original_damaged';
  } catch (error) {
    return toOriginalProblem(error);
  }
}

/**
 * Reads an original to its end and compares it with what was uploaded.
 * @param bytesPerSecond at most; it reads as fast as the disk does when this is not given
 * @param onRead told the length of each block that was read
 * Throws the signal's reason when aborted, and errors that say nothing of the file (EMFILE).
 */
export async function checkChecksum(
  file: string,
  { size, sha256 }: { size: number; sha256: string },
  { signal, bytesPerSecond = Infinity, onRead }: ContentCheckOptions = {},
): Promise<OriginalProblem | null> {
  const problem = await checkLength(file, size);
  if (problem) return problem;
  try {
    return (await hashFile(file, { signal, bytesPerSecond, onRead })) === sha256 ? null : 'original_damaged';
  } catch (error) {
    return toOriginalProblem(error);
  }
}

type ContentCheckOptions = {
  signal?: AbortSignal | undefined;
  bytesPerSecond?: number | undefined;
  onRead?: ((bytes: number) => void) | undefined;
};

/** SHA-256 of a file, hexadecimal. */
export async function hashFile(
  file: string,
  { signal, bytesPerSecond = Infinity, onRead }: ContentCheckOptions = {},
): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  try {
    const block = Buffer.allocUnsafe(blockBytes);
    const startedAt = performance.now();
    for (let read = 0; ;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(block, 0, blockBytes, read);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(block.subarray(0, bytesRead));
      read += bytesRead;
      onRead?.(bytesRead);
      const delayMs = (read / bytesPerSecond) * 1000 - (performance.now() - startedAt);
      if (delayMs > 1) await delay(delayMs, undefined, { signal });
    }
  } finally {
    await handle.close();
  }
}

/** What a failure to read says of the file: it is not there, or the disk or the system does not give it. */
function toOriginalProblem(error: unknown): OriginalProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'original_missing';
  if (['EIO', 'EACCES', 'EPERM', 'EISDIR'].includes(code)) return 'original_damaged';
  throw error;
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

export type HashOptions = {
  signal?: AbortSignal | undefined;
  /** At most; by default as fast as the disk reads. */
  bytesPerSecond?: number | undefined;
  /** Called with the length of each block that was read. */
  onRead?: ((bytes: number) => void) | undefined;
};

/** SHA-256 of all that a stream gives, hexadecimal. Throws the signal's reason when aborted. */
export async function hashStream(
  stream: Readable,
  { signal, bytesPerSecond = Infinity, onRead }: HashOptions = {},
): Promise<string> {
  const hash = createHash('sha256');
  const startedAt = performance.now();
  let bytes = 0;
  for await (const block of stream as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    hash.update(block);
    bytes += block.length;
    onRead?.(block.length);
    const delayMs = (bytes / bytesPerSecond) * 1000 - (performance.now() - startedAt);
    if (delayMs > 1) await delay(delayMs, undefined, { signal });
  }
  return hash.digest('hex');
}

/** SHA-256 of a file, hexadecimal. */
export const hashFile = (file: string): Promise<string> => hashStream(createReadStream(file));

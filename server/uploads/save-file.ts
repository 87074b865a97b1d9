import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Stores the bytes of a file that arrives, and hashes them meanwhile. They are on disk when this returns.
 * @param target path of the new file
 */
export async function saveFile(
  source: NodeJS.ReadableStream | AsyncIterable<Buffer>,
  target: string,
  signal: AbortSignal,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      size += bytes.length;
      hash.update(bytes);
      done(null, bytes);
    },
  });
  await pipeline(source, measure, createWriteStream(target, { flush: true }), { signal });
  return { size, sha256: hash.digest('hex') };
}

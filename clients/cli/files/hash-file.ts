import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Large reads: a file is read from one end to the other. */
const readSize = 2 ** 20;

/**
 * SHA-256 of a file, in hexadecimal.
 * @throws the failure of the file system, and an AbortError
 */
export async function hashFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: readSize }), hash, ...(signal ? [{ signal }] : []));
  return hash.digest('hex');
}

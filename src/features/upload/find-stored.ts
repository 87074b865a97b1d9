import { checkMedia } from '../../api/generated/api/index.ts';
import type { HashMessage } from './hash-worker.ts';

/**
 * Asks the service whether it has a file already, by its SHA-256 sum, so that what is there need not be sent.
 * @param onProgress gets the bytes read so far
 * @returns the item; null when the service has none, or when it could not be told
 */
export async function findStored(
  file: File,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const sha256 = await hashFile(file, onProgress, signal);
    const { data } = await checkMedia({ body: { sha256: [sha256] }, signal });
    return data[0]?.media_id ?? null;
  } catch {
    // Then it is sent; the service finds out by itself.
    return null;
  }
}

function hashFile(file: File, onProgress: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  const worker = new Worker(new URL('hash-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error('The file could not be read.'));
    worker.addEventListener('message', ({ data }: MessageEvent<HashMessage>) => {
      if ('hashed' in data) onProgress(data.hashed);
      else if ('sha256' in data) resolve(data.sha256);
      else fail();
    });
    worker.addEventListener('error', fail);
    signal.addEventListener('abort', fail);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

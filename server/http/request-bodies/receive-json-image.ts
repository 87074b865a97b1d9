import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError, validationError } from '../../errors/api-error.ts';
import { iterateUntilAborted } from '../../platform/abort-signals.ts';
import type { SizeLimit } from '../../uploads/upload-limit.ts';
import { isStorageFailure } from '../errors/error-handler.ts';
import { InvalidJsonError, JsonImageSplitter } from './json-image-splitter.ts';

/** Room for everything in the JSON but the image. */
const maxTextBytes = 64 * 1024;

/**
 * Reads a JSON body whose member `image` may hold an image in base64. The image goes to disk as it arrives, so 40 MB of text
 * are never in memory as a whole.
 * @param folder an empty folder to store the image in
 * @returns the JSON text with a placeholder for the image, and where the image is. Call `checkImage` once the text has been validated.
 * Throws `malformed_body` and `payload_too_large`.
 */
export async function receiveJsonImage(
  request: FastifyRequest,
  folder: string,
  limit: SizeLimit,
  signal: AbortSignal,
): Promise<{ text: string; file: string; checkImage: () => void }> {
  // Base64 takes four characters for three bytes, and a line break now and then.
  if (Number(request.headers['content-length'] ?? 0) > limit.bytes * 1.4 + maxTextBytes) throw limit.tooLargeError();
  signal.throwIfAborted();
  const splitter = new JsonImageSplitter();
  const file = path.join(folder, 'file');
  const handle = await open(file, 'w');
  try {
    let [size, images, received] = [0, 0, 0];
    // The stream must stay open when this ends early: its connection carries the answer.
    const payload = (request.body as Readable).iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
    for await (const bytes of iterateUntilAborted(signal, payload)) {
      received += bytes.length;
      const image = splitter.push(bytes);
      if (splitter.imageCount > images && images > 0) throw duplicateImageError();
      images = splitter.imageCount;
      size += image.length;
      if (size > limit.bytes || received > limit.bytes * 1.4 + maxTextBytes) throw limit.tooLargeError();
      if (splitter.textLength > maxTextBytes) {
        throw new ApiError('payload_too_large', 'Besides the image, the body may hold at most 64 KiB.');
      }
      await handle.writeFile(image);
    }
    if (splitter.imageCount > 1) throw duplicateImageError();
  } catch (error) {
    if (error instanceof InvalidJsonError) throw malformedJsonError();
    if (error instanceof ApiError || isStorageFailure(error)) throw error;
    signal.throwIfAborted();
    throw new ApiError('malformed_body', 'The body could not be read to its end. Send it again.');
  } finally {
    await handle.close();
  }
  return {
    text: splitter.text,
    file,
    checkImage() {
      if (!splitter.valid)
        throw validationError([{ path: 'body.image', message: 'must be base64, or a data URL with base64' }]);
    },
  };
}

const malformedJsonError = () => new ApiError('malformed_body', 'The body is not valid JSON.');
const duplicateImageError = () => new ApiError('malformed_body', 'The body has two members `image`.');

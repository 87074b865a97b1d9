import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../errors/api-error.ts';
import type { OutboundAccess } from '../../platform/outbound/checked-agent.ts';

/** Most bytes of a query image. */
export const maxQueryImageBytes = 32 * 2 ** 20;
const timeoutMs = 15_000;

/**
 * Fetches an image by its URL, by agents that check each address.
 * @param file where the image is stored
 * Throws `unreadable_media` and `validation_error`.
 */
export async function fetchImage(
  url: string,
  file: string,
  access: OutboundAccess,
  signal: AbortSignal,
): Promise<void> {
  // Few services ever fetch: the client is loaded by the first that does.
  const { fetchUrl } = await import('../../platform/outbound/fetch-url.ts');
  const request = {
    access,
    headers: { accept: 'image/*' },
    timeout: { request: timeoutMs },
    timeoutMessage: `The URL did not respond within ${timeoutMs / 1000} seconds.`,
    signal,
  };
  const bounded = async function* (parts: AsyncIterable<Buffer>) {
    let size = 0;
    for await (const part of parts) {
      size += part.length;
      if (size > maxQueryImageBytes) {
        throw new ApiError('unreadable_media', 'The image at this URL holds more than 32 MiB.');
      }
      yield part;
    }
  };
  return fetchUrl(url, request, (stream) => pipeline(stream, bounded, createWriteStream(file), { signal }));
}

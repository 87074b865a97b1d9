import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import got from 'got';
import { ApiError } from '../api-error.ts';
import { describeFetchError, refuseUpgrades } from '../describe-fetch-error.ts';
import { checkedAgents, type OutboundAccess } from '../outbound/checked-agent.ts';

/** Most bytes of a query image. */
export const maxQueryImageBytes = 32 * 2 ** 20;
const timeoutMs = 15_000;
const maxRedirects = 5;

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
  const stream = got.stream(url, {
    agent: checkedAgents(access),
    timeout: { request: timeoutMs },
    maxRedirects,
    retry: { limit: 0 },
    headers: { accept: 'image/*', 'user-agent': 'media-search' },
    signal,
  });
  refuseUpgrades(stream);
  try {
    let size = 0;
    const bounded = async function* (parts: AsyncIterable<Buffer>) {
      for await (const part of parts) {
        size += part.length;
        if (size > maxQueryImageBytes) throw unreadable('The image at this URL holds more than 32 MiB.');
        yield part;
      }
    };
    await pipeline(stream, bounded, createWriteStream(file), { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw describeFetchError(error, `The URL did not respond within ${timeoutMs / 1000} seconds.`);
  } finally {
    stream.destroy();
  }
}

const unreadable = (message: string) => new ApiError('unreadable_media', message);

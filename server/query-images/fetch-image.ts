import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import got, { HTTPError, RequestError, TimeoutError } from 'got';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { ApiError, validationError } from '../api-error.ts';

export type ImageFetching = {
  /** IP addresses and networks (CIDR) that images may be fetched from although they are private. */
  allowedAddresses: string[];
};

/** Most bytes of a query image. */
export const maxQueryImageBytes = 32 * 2 ** 20;
/**
 * Networks of IPv6 that are never fetched from, besides those that the agent refuses by default. Only global unicast (2000::/3) is fetched
 * from, and of that not what carries an IPv4 address (Teredo, 6to4) or is reserved. `::127.0.0.1` is `::7f00:1` once it is parsed.
 */
const deniedNetworks = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const timeoutMs = 15_000;
const maxRedirects = 5;

/**
 * Fetches an image by its URL. Every connection, those of redirects too, is made to an IP address that was checked after the host name was
 * resolved, so neither a name nor a redirect leads to this machine or its private network.
 * @param file where the image is stored
 * Throws `unreadable_media` and `validation_error`.
 */
export async function fetchImage(
  url: string,
  file: string,
  { allowedAddresses }: ImageFetching,
  signal: AbortSignal,
): Promise<void> {
  const filter = { allowIPAddressList: allowedAddresses, denyIPAddressList: deniedNetworks, keepAlive: false };
  const stream = got.stream(url, {
    agent: { http: new RequestFilteringHttpAgent(filter), https: new RequestFilteringHttpsAgent(filter) },
    timeout: { request: timeoutMs },
    maxRedirects,
    retry: { limit: 0 },
    headers: { accept: 'image/*', 'user-agent': 'media-search' },
    signal,
  });
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
    throw describe(error);
  } finally {
    stream.destroy();
  }
}

const unreadable = (message: string) => new ApiError('unreadable_media', message);

function describe(error: unknown): unknown {
  if (error instanceof TimeoutError) return unreadable(`The URL did not respond within ${timeoutMs / 1000} seconds.`);
  if (error instanceof HTTPError) return unreadable(`The URL responded with status ${error.response.statusCode}.`);
  if (!(error instanceof RequestError)) return error;
  if (/is not allowed\. Because/.test(error.message)) {
    return validationError([
      { path: 'body.url', message: 'leads to a private IP address, which this service does not fetch from' },
    ]);
  }
  return unreadable(`The URL could not be fetched (${error.code}).`);
}

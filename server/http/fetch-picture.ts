import got, { HTTPError, RequestError, TimeoutError } from 'got';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { ApiError } from './api-error.ts';
import { invalid } from './operation-routes.ts';

export type PictureFetching = {
  /** Addresses and networks (CIDR) that may be fetched from although they are private. */
  allowedAddresses: string[];
};

/** Largest query picture. */
export const maxPictureBytes = 32 * 2 ** 20;
const timeoutMs = 15_000;
const redirects = 5;

/**
 * Fetches a picture that a client named by its address. Every connection, those of redirects too, is made to an address that was
 * checked after its name was resolved, so neither a name nor a redirect leads to this machine or its private network.
 */
export async function fetchPicture(
  url: string,
  { allowedAddresses }: PictureFetching,
  signal: AbortSignal,
): Promise<Buffer> {
  const filter = { allowIPAddressList: allowedAddresses, keepAlive: false };
  const stream = got.stream(url, {
    agent: { http: new RequestFilteringHttpAgent(filter), https: new RequestFilteringHttpsAgent(filter) },
    timeout: { request: timeoutMs },
    maxRedirects: redirects,
    retry: { limit: 0 },
    headers: { accept: 'image/*', 'user-agent': 'media-search' },
    signal,
  });
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of stream as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxPictureBytes) throw unreadable('The picture at this address holds more than 32 MiB.');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    signal.throwIfAborted();
    throw describe(error);
  } finally {
    stream.destroy();
  }
}

const unreadable = (message: string) => new ApiError('unreadable_media', message);

function describe(error: unknown): unknown {
  if (error instanceof TimeoutError)
    return unreadable(`The address did not answer within ${timeoutMs / 1000} seconds.`);
  if (error instanceof HTTPError) return unreadable(`The address answered with status ${error.response.statusCode}.`);
  if (!(error instanceof RequestError)) return error;
  if (/is not allowed\. Because/.test(error.message)) {
    return invalid([
      { path: 'body.url', message: 'leads to a private address, which this service does not fetch from' },
    ]);
  }
  return unreadable(`The address could not be fetched from (${error.code}).`);
}

import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import got, { type Delays, HTTPError, type Request, RequestError, TimeoutError } from 'got';
import { ApiError, validationError } from '../../errors/api-error.ts';
import { checkedAgents, hasNoAddress, type OutboundAccess } from './checked-agent.ts';

const maxRedirects = 5;

type Fetch = {
  access: OutboundAccess;
  headers: Record<string, string>;
  timeout: Delays;
  /** What is said when time was up. */
  timeoutMessage: string;
  signal: AbortSignal;
};

/**
 * Requests what a user gave as `url`, by agents that check each address.
 * @param receive reads the stream; the head of the response is there with its first bytes
 * Throws `unreadable_media` and `validation_error` that say why there is nothing, what `receive` throws, and the signal's reason.
 */
export async function fetchUrl<Result>(
  url: string,
  { access, headers, timeout, timeoutMessage, signal }: Fetch,
  receive: (stream: Request) => Promise<Result>,
): Promise<Result> {
  const stream = got.stream(url, {
    agent: checkedAgents(access),
    timeout,
    maxRedirects,
    retry: { limit: 0 },
    // Media are compressed already, and the length of what is not encoded is known beforehand.
    headers: { 'user-agent': 'media-search', 'accept-encoding': 'identity', ...headers },
    decompress: false,
    signal,
  });
  refuseUpgrades(stream);
  refuseEncodings(stream);
  try {
    return await receive(stream);
  } catch (error) {
    signal.throwIfAborted();
    throw describeFailure(error, timeoutMessage);
  } finally {
    stream.destroy();
  }
}

/** What a client is told when its URL could not be fetched; an error of something else is returned as it is. */
function describeFailure(error: unknown, timeoutMessage: string): unknown {
  if (error instanceof TimeoutError) return unreadable(timeoutMessage);
  if (error instanceof HTTPError) return unreadable(`The URL responded with status ${error.response.statusCode}.`);
  if (!(error instanceof RequestError)) return error;
  if (error.cause instanceof ApiError) return error.cause;
  if (hasNoAddress(error)) {
    return validationError([
      {
        path: 'body.url',
        message: 'leads to no IP address, or to a private IP address, which this service does not fetch from',
      },
    ]);
  }
  return unreadable(`The URL could not be fetched (${error.code}).`);
}

/**
 * Has a request fail at once when its server changes the protocol (101). Node closes such a connection and says nothing unless
 * a listener is there, so that the request would end by its time limit only.
 */
function refuseUpgrades(stream: Request): void {
  stream.on('request', (request: ClientRequest) =>
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(unreadable('The URL responded with status 101.'));
    }),
  );
}

/**
 * Has a request fail when its answer is encoded although that was not asked for: what 200 kB unpack to is hundreds of megabytes, at the cost of
 * this process.
 */
function refuseEncodings(stream: Request): void {
  stream.on('response', ({ headers }: { headers: IncomingHttpHeaders }) => {
    const encoding = headers['content-encoding']?.trim() ?? '';
    if (encoding === '' || encoding.toLowerCase() === 'identity') return;
    stream.destroy(
      unreadable('The URL sends the file compressed (`Content-Encoding`), although it was asked for it as it is.'),
    );
  });
}

const unreadable = (message: string) => new ApiError('unreadable_media', message);

import type { ClientRequest } from 'node:http';
import { HTTPError, type Request, RequestError, TimeoutError } from 'got';
import { ApiError, validationError } from './api-error.ts';
import { hasNoAddress } from './outbound/checked-agent.ts';

/**
 * What a client is told when what it gave as `url` could not be fetched; an error of something else is returned as it is.
 * @param timeoutMessage what is said when time was up
 */
export function describeFetchError(error: unknown, timeoutMessage: string): unknown {
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
 * Has a download by got fail at once when its server changes the protocol (101). Node closes such a connection and says nothing unless
 * somebody listens, so that the download would end by its time limit only.
 */
export function refuseUpgrades(stream: Request): void {
  stream.on('request', (request: ClientRequest) =>
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      stream.destroy(unreadable('The URL responded with status 101.'));
    }),
  );
}

const unreadable = (message: string) => new ApiError('unreadable_media', message);

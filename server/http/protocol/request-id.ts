import type { IncomingMessage } from 'node:http';
import { createNetworks, isInNetworks } from './networks.ts';

/** A request identifier that a proxy may have given: printable, and short enough for a line of a log. */
const idPattern = /^[\w.:-]{8,128}$/;

/**
 * Returns a function that gives each request its identifier: the one in `X-Request-Id` where the sender is a trusted proxy, so that its log and
 * ours name a request alike, otherwise a new one.
 */
export function createRequestIds(trustedProxies: string[]): (request: IncomingMessage) => string {
  const proxies = createNetworks(trustedProxies);
  return ({ socket, headers }) => {
    const given = headers['x-request-id'];
    const isTrusted = typeof given === 'string' && idPattern.test(given) && isInNetworks(socket.remoteAddress, proxies);
    return isTrusted ? given : crypto.randomUUID();
  };
}

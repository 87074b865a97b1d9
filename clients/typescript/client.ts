import { basePath } from '../../contract/base-path.ts';
import { type Client as Caller, createCaller } from './operations.ts';
import { Throttle } from './throttle.ts';
import type { Transport } from './transport.ts';

/** A workspace of a service, which the functions of the API are called with: `listMedia({ client })`. */
export type Client = Caller & { readonly transport: Transport & { readonly throttle: Throttle } };

export type ClientSettings = {
  /** Address of the service, such as `http://127.0.0.1:8080`, or the base URL of its API with a path of its own. */
  url: string;
  /** An API key of the workspace, or a function that gives the one of the moment. */
  key: string | (() => string | null);
  /** What sends requests in place of the `fetch` of the browser or Node. */
  fetch?: typeof fetch;
  /** Longest time that a request waits when the service asks to repeat it later, seconds. Without it 120. */
  maxWaitSeconds?: number;
  /** Is told by each answer whether the service can be reached. */
  onReachable?: (reachable: boolean) => void;
};

/**
 * A client of the API. It keeps no connection open. Requests that the service refuses for their number (429), and those that it cannot
 * take for the moment (503) and that may be repeated, are sent again at the time that the service names, five times in all.
 * @throws TypeError when the address is no http or https URL
 */
export function createClient({
  url,
  key,
  fetch,
  maxWaitSeconds = 120,
  onReachable = () => {},
}: ClientSettings): Client {
  const transport = {
    baseUrl: toBaseUrl(url),
    // Looked up at each request, for pages and tests that replace it.
    fetch:
      fetch ?? ((input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit) => globalThis.fetch(input, init)),
    hasOwnFetch: fetch !== undefined,
    authorization: (): Record<string, string> => {
      const current = typeof key === 'string' ? key : key();
      return current ? { Authorization: `Bearer ${current}` } : {};
    },
    throttle: new Throttle(),
    maxWaitSeconds,
    onReachable,
  };
  return { ...createCaller(() => transport), transport };
}

/** The base URL of the API: an address without a path is that of a service, whose API is below `/api/v1`. */
function toBaseUrl(address: string): string {
  const { protocol, origin, pathname } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`Not an http or https address: ${origin}`);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path === '' ? basePath : path}`;
}

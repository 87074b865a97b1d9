import createClient from 'openapi-fetch';
import { apiAddress, type Connection, connection } from './connection.ts';
import type { components, paths } from './generated/api.ts';
import type { paths as dashboardPaths } from './generated/dashboard-api.ts';
import { noteReachable } from './reachability.ts';

type Failure = components['schemas']['Error']['error'];
export type ErrorCode = Failure['code'] | 'offline';

/** A refusal or failure of the service. `code` is what to decide by; `message` is for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string | null;
  readonly details: NonNullable<Failure['details']>;

  constructor(
    code: ErrorCode,
    message: string,
    about: { status: number; requestId: string | null; details?: Failure['details'] },
  ) {
    super(message);
    this.code = code;
    this.status = about.status;
    this.requestId = about.requestId;
    this.details = about.details ?? [];
  }
}

/** The workspace's key, from the session. Kept in memory only: a script that reads storage does not find it. */
let apiKey: string | null = connection?.key ?? null;

export function setApiKey(key: string | null): void {
  // Another service's key does not come from the session.
  if (!connection) apiKey = key;
}

export const currentApiKey = (): string | null => apiKey;

export const authorization = (): Record<string, string> => (apiKey ? { Authorization: `Bearer ${apiKey}` } : {});

/** The API, as any client sees it. */
export const api = createClient<paths>({ baseUrl: apiAddress });
api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
  },
});

/** Sessions and management, by the session cookie. */
export const dashboardApi = createClient<dashboardPaths>({ baseUrl: '' });

/** Waits for a call and opens its envelope. Throws `ApiError`. */
export async function unwrap<Envelope>(
  call: Promise<{ data?: Envelope; error?: unknown; response: Response }>,
): Promise<Envelope> {
  const { data, error, response } = await call.catch((failure: unknown) => {
    // Whoever gave a request up does not want to hear of it.
    if (failure instanceof DOMException && failure.name === 'AbortError') throw failure;
    noteReachable(false);
    throw new ApiError('offline', 'The service cannot be reached.', { status: 0, requestId: null });
  });
  // A proxy answers for a service that is away, in its own words.
  const away =
    [502, 503, 504].includes(response.status) && !(error as { error?: Partial<Failure> } | undefined)?.error?.code;
  noteReachable(!away);
  if (data !== undefined) return data;
  throw toApiError(error, response.status, response.headers.get('X-Request-Id'));
}

/** The failure that a body tells of, or the status when a proxy in between answered in its own words. */
export function toApiError(body: unknown, status: number, requestId: string | null): ApiError {
  const { code, message, details } = (body as { error?: Partial<Failure> } | undefined)?.error ?? {};
  return new ApiError(code ?? 'unavailable', message ?? `The service answered with status ${status}.`, {
    status,
    requestId,
    details,
  });
}

/** Makes sure that a service answers to a key. Throws `ApiError`. */
export async function tryConnection({ address, key }: Connection): Promise<Connection> {
  const other = createClient<paths>({ baseUrl: address });
  const { data, error, response } = await other
    .GET('/workspace', { headers: { Authorization: `Bearer ${key}` } })
    .catch(() => {
      throw new ApiError('offline', 'No service answers there, or it does not let this page ask (CORS).', {
        status: 0,
        requestId: null,
      });
    });
  if (!data) throw toApiError(error, response.status, response.headers.get('X-Request-Id'));
  return { address, key };
}

/** Reads a list to its last page. */
export async function readAllPages<Entry>(
  read: (page: number) => Promise<{ data: Entry[]; meta: { has_more: boolean } }>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await read(page);
    entries.push(...data);
    if (!meta.has_more) return entries;
  }
}

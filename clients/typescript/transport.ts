import { ApiError, isFailure, readRetryAfter, toApiError, unreachable } from './api-error.ts';
import { pause } from './pause.ts';
import type { Throttle } from './throttle.ts';

/** How the requests of a client are sent. */
export type Transport = {
  /** What the paths of operations are below. */
  baseUrl: string;
  /** What sends a request. */
  fetch: typeof fetch;
  /** Whether the caller gave it, so that nothing else may send requests. */
  hasOwnFetch: boolean;
  /** The headers that authenticate; read for each request, because a key may change. */
  authorization: () => Record<string, string>;
  /** Null for requests that no limit of a key counts: they are sent once. */
  throttle: Throttle | null;
  /** Longest time that a request waits because the service said so, seconds. */
  maxWaitSeconds: number;
  /** Is told by each answer whether the service can be reached. A proxy that answers for a service that is away says that it cannot. */
  onReachable: (reachable: boolean) => void;
};

/** The parts of an operation's request, which the generator fills in. */
export type OperationShape = { body?: unknown; path?: unknown; query?: unknown; url: string };

export type CallOptions = {
  /** Part of TanStack's query keys; the request goes to the address of its client. */
  baseUrl?: string | undefined;
  headers?: Record<string, unknown>;
  signal?: AbortSignal | null;
  /** Null for a body that is sent as it is. */
  bodySerializer?: ((body: unknown) => BodyInit) | null;
};

/** A request that the service asked to repeat later is sent so many times in all. */
const maxAttempts = 5;

/**
 * Sends the request of an operation.
 * @returns the JSON of a success, the text of captions, the bytes of a file as a `Blob`, or undefined where there is no content
 * @throws what else came: a cancelled call its `AbortError`, all others an `ApiError`
 */
export async function call(
  transport: Transport,
  method: string,
  options: CallOptions & OperationShape,
): Promise<unknown> {
  const { body, bodySerializer = JSON.stringify, signal = null } = options;
  const request: RequestInit & { duplex?: 'half' } = {
    method,
    headers: toHeaders({ ...transport.authorization(), ...options.headers }),
    signal,
    body: body === undefined ? null : bodySerializer === null ? (body as BodyInit) : bodySerializer(body),
    // What `fetch` demands for a stream.
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  };
  const answer = await sendPatiently(transport, `${transport.baseUrl}${toUrl(options)}`, request).catch(
    (failure: unknown) => {
      // A cancelled call is not a failure of the connection.
      if (signal?.aborted || isAbort(failure)) throw failure;
      transport.onReachable(false);
      throw unreachable(failure);
    },
  );
  if (!answer.response.ok) {
    const json = parse(answer.content);
    // A proxy answers for a service that is away, in its own words.
    transport.onReachable(![502, 503, 504].includes(answer.response.status) || isFailure(json));
    throw toApiError(json, answer.response.status, answer.response.headers);
  }
  const value = toValue(answer);
  // Any other text comes from a proxy.
  const isOurs = value !== undefined || answer.response.status === 204;
  transport.onReachable(isOurs);
  if (!isOurs) throw unreachable();
  return value;
}

const isAbort = (failure: unknown): boolean => failure instanceof DOMException && failure.name === 'AbortError';

type Answer = { response: Response; content: string | Blob };

const isJson = /^application\/(?:[\w.-]+\+)?json\b/;
const isText = /^text\//;
const isCaptions = /^(?:text\/vtt|application\/x-subrip)\b/;

/** Undefined for what no operation answers. */
function toValue({ response, content }: Answer): unknown {
  if (typeof content !== 'string') return content;
  return isCaptions.test(contentType(response)) ? content : parse(content);
}

const contentType = (response: Response): string => response.headers.get('Content-Type') ?? '';

/** Sends when the service takes requests, and again when it says when it will. */
async function sendPatiently(transport: Transport, url: string, request: RequestInit): Promise<Answer> {
  const { throttle, maxWaitSeconds } = transport;
  if (!throttle) return send(transport, url, request);
  for (let attempt = 1; ; attempt++) {
    await throttle.whenAllowed(request.signal);
    const answer = await send(transport, url, request);
    const { status, headers } = answer.response;
    const seconds = readRetryAfter(headers.get('Retry-After'));
    if (seconds === null || seconds > maxWaitSeconds) return answer;
    if (status === 429) throttle.pause(seconds);
    else if (status !== 503 || !isRepeatable(request)) return answer;
    if (attempt === maxAttempts) return answer;
    if (status === 503) await pause(1000 * seconds, request.signal);
  }
}

/** Whether a request that may have been carried out can be sent again (RFC 9110, 9.2.2). A PATCH of this API sets what it names, but for one that appends. */
const isRepeatable = ({ method, headers }: RequestInit): boolean =>
  (method !== 'POST' && !(headers as Headers).has('Upload-Offset')) || (headers as Headers).has('Idempotency-Key');

async function send(transport: Transport, url: string, request: RequestInit): Promise<Answer> {
  const response = await transport.fetch(url, request);
  const type = contentType(response);
  const isFile = response.ok && type !== '' && ![isJson, isText, isCaptions].some((kind) => kind.test(type));
  return { response, content: isFile ? await response.blob() : await response.text() };
}

function parse(content: string | Blob): unknown {
  try {
    return JSON.parse(content as string);
  } catch {
    return undefined;
  }
}

const toHeaders = (headers: Record<string, unknown>): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );

/** Path and query of an operation, its parameters filled in; those that are undefined are left out. */
function toUrl({ url, path, query }: Pick<OperationShape, 'path' | 'query' | 'url'>): string {
  const values = { ...(path as Record<string, string>) };
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return `${url.replaceAll(/\{(\w+)\}/g, (_, name: string) => toSegment(name, values[name]))}${search && `?${search}`}`;
}

/** @throws ApiError for what would make the address of another operation: of nothing the one of the list, of dots one above */
function toSegment(name: string, value = ''): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new ApiError('validation_error', `“${value}” is no ${name}.`, { status: 400, requestId: null });
}

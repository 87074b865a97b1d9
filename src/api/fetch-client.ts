import { basePath } from '../../contract/base-path.ts';
import { ApiError, authorization, isFailure, toApiError } from './client.ts';
import { apiUrl } from './connection.ts';
import { noteReachable } from './reachability.ts';
import { pauseRequests, readRetryAfter, whenAllowed } from './throttle.ts';

/**
 * What the generated clients run on, in place of the generator's own runtime, which is many times as large. A call returns the JSON of a
 * success, or the text of captions. Everything else throws: a cancelled call its `AbortError`, all others an `ApiError`.
 */

export type ClientOptions = { baseUrl?: string };
export type ClientMeta = Record<string, unknown>;
export type Config<Options = ClientOptions> = Partial<Options> & { throwOnError?: boolean };

/** The parts of an operation's request, which the generator fills in. */
export type TDataShape = { body?: unknown; path?: unknown; query?: unknown; url: string };

type CallOptions = {
  baseUrl?: string | undefined;
  headers?: Record<string, unknown>;
  signal?: AbortSignal;
  bodySerializer?: (body: unknown) => BodyInit;
};

/** What an operation is called with. */
export type Options<Data extends TDataShape, _ThrowOnError, _Response> = CallOptions &
  Omit<Data, 'url' | 'headers'> & { throwOnError?: boolean };

export type RequestResult<Responses, _Errors, _ThrowOnError, _Style> = Promise<Responses[keyof Responses]>;

type Call = <Responses, Errors, ThrowOnError, Style>(
  options: CallOptions & TDataShape & { responseStyle?: Style },
) => RequestResult<Responses, Errors, ThrowOnError, Style>;

export type Client = Record<'delete' | 'get' | 'patch' | 'post', Call> & { getConfig: () => ClientOptions };

export const createConfig = <Options extends ClientOptions>(config: Config<Options>): Config<Options> => config;

/**
 * The client of the API, which may be another service's, or of the dashboard's own operations.
 * @param config only the API's document names a base path
 */
export function createClient(config: ClientOptions): Client {
  const isApi = config.baseUrl === basePath;
  const baseUrl = isApi ? apiUrl : '';
  const callBy =
    (method: string): Call =>
    (options) =>
      call(
        method,
        { ...options, headers: { ...(isApi ? authorization() : {}), ...options.headers } },
        baseUrl,
        isApi,
      ) as never;
  return {
    delete: callBy('DELETE'),
    get: callBy('GET'),
    patch: callBy('PATCH'),
    post: callBy('POST'),
    getConfig: () => ({ baseUrl }),
  };
}

/** A request that was refused because there were too many is sent again when its time has come, so many times in all. */
const maxAttempts = 5;

/**
 * @param ownBaseUrl of the service that is shown; another one that is only tried says nothing of whether that can be reached
 * @param paced whether its requests count towards the limit of the key, and wait when that is reached
 */
async function call(
  method: string,
  options: CallOptions & TDataShape,
  ownBaseUrl: string,
  paced: boolean,
): Promise<unknown> {
  const { baseUrl = ownBaseUrl, body, bodySerializer = JSON.stringify, headers = {}, signal = null } = options;
  const note = baseUrl === ownBaseUrl ? noteReachable : () => {};
  const unreachable = () => {
    note(false);
    return new ApiError('offline', 'The service cannot be reached.', { status: 0, requestId: null });
  };
  const request = {
    method,
    headers: toHeaders(headers),
    signal,
    body: body === undefined ? null : bodySerializer(body),
  };
  const send = paced && baseUrl === ownBaseUrl ? fetchPaced : fetchText;
  const { response, text } = await send(`${baseUrl}${toUrl(options)}`, request).catch((failure: unknown) => {
    // Whoever cancelled a call does not want to hear of it.
    throw failure instanceof DOMException && failure.name === 'AbortError' ? failure : unreachable();
  });
  const json = parse(text);
  if (!response.ok) {
    // A proxy answers for a service that is away, in its own words.
    note(![502, 503, 504].includes(response.status) || isFailure(json));
    throw toApiError(json, response.status, response.headers);
  }
  // Any other text comes from a proxy.
  const isCaptions = /^(?:text\/vtt|application\/x-subrip)\b/.test(response.headers.get('Content-Type') ?? '');
  if (json === undefined && !isCaptions) throw unreachable();
  note(true);
  return isCaptions ? text : json;
}

/** Sends when the service takes requests, and once more each time that it says when it will. */
async function fetchPaced(url: string, request: RequestInit): Promise<{ response: Response; text: string }> {
  for (let attempt = 1; ; attempt++) {
    await whenAllowed(request.signal);
    const answer = await fetchText(url, request);
    const seconds = answer.response.status === 429 ? readRetryAfter(answer.response.headers.get('Retry-After')) : null;
    if (seconds === null) return answer;
    pauseRequests(seconds);
    if (attempt === maxAttempts) return answer;
  }
}

async function fetchText(url: string, request: RequestInit): Promise<{ response: Response; text: string }> {
  const response = await fetch(url, request);
  return { response, text: await response.text() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toHeaders = (headers: Record<string, unknown>): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

/** Path and query of an operation, its parameters filled in; those that are undefined are left out. */
export function toUrl({ url, path, query }: Pick<TDataShape, 'path' | 'query' | 'url'>): string {
  const values = { ...(path as Record<string, string>) };
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return `${url.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))}${search && `?${search}`}`;
}

/** Makes a form of a body; the generator calls it so. */
export const formDataBodySerializer = {
  bodySerializer: (body: unknown): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(body as Record<string, string | Blob | undefined>)) {
      if (value !== undefined) form.set(name, value);
    }
    return form;
  },
};

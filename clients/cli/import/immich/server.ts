import { setTimeout as pause } from 'node:timers/promises';
import { checkUrl } from '../../account/credentials.ts';
import { CommandError, notSignedIn } from '../../failures.ts';

/** An Immich server, as one of its API keys sees it. */
export type ImmichServer = {
  /** Its API, such as `http://nas:2283/api`. */
  url: string;
  /** What authenticates a request. */
  headers: Record<string, string>;
  get: (path: string) => Promise<unknown>;
  /** A request that only reads: it is sent again where it fails. */
  post: (path: string, body: unknown) => Promise<unknown>;
};

/** A request that fails for the moment is sent so many times in all. */
const maxAttempts = 6;
/** Between two attempts, milliseconds; each time twice as long. A server that says how long is waited for, up to the longest. */
const firstPause = 500;
const longestPause = 120_000;
/** A page of a large library takes seconds; a server that says nothing for so long is asked again, milliseconds. */
const maxSilence = 120_000;

/**
 * @param address of the server, or of its API
 * @throws CommandError for what is no address
 */
export function openImmich(address: string, key: string, signal: AbortSignal): ImmichServer {
  const url = `${checkUrl(address).replace(/\/api$/, '')}/api`;
  const headers = { 'x-api-key': key };
  const ask = (method: string, path: string, body?: unknown) =>
    askPatiently(
      `${url}${path}`,
      {
        method,
        headers: { ...headers, Accept: 'application/json', ...(body ? { 'Content-Type': 'application/json' } : {}) },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirection would take the key along, wherever it leads.
        redirect: 'manual',
      },
      signal,
    );
  return { url, headers, get: (path) => ask('GET', path), post: (path, body) => ask('POST', path, body) };
}

async function askPatiently(url: string, request: RequestInit, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, {
        ...request,
        signal: AbortSignal.any([signal, AbortSignal.timeout(maxSilence)]),
      });
      return await readAnswer(response, url);
    } catch (failure) {
      signal.throwIfAborted();
      if (failure instanceof CommandError) throw failure;
      const isBusy = failure instanceof BusyError;
      if (attempt === maxAttempts)
        throw new CommandError(isBusy ? failure.message : `${new URL(url).origin} cannot be reached.`);
      const wanted = isBusy ? failure.waitMs : 0;
      await pause(Math.min(longestPause, Math.max(wanted, firstPause * 2 ** (attempt - 1))), undefined, { signal });
    }
  }
}

/** The server cannot answer for the moment. */
class BusyError extends Error {
  readonly waitMs: number;

  constructor(status: number, waitMs: number) {
    super(`Immich answers with status ${status}, also when it is asked again.`);
    this.waitMs = waitMs;
  }
}

/** @throws BusyError where another attempt may help, CommandError where none does */
async function readAnswer(response: Response, url: string): Promise<unknown> {
  const { origin, pathname } = new URL(url);
  const { status, headers } = response;
  if (status === 429 || status >= 500) {
    await response.body?.cancel();
    throw new BusyError(status, 1000 * (Number(headers.get('Retry-After')) || 0));
  }
  if (status >= 300 && status < 400)
    throw new CommandError(`${origin} sends to ${headers.get('Location') ?? 'another address'}. Give that address.`);
  const text = await response.text();
  if (status === 401) throw notSignedIn(`Immich at ${origin} does not accept the API key.`);
  const answer = parse(text);
  if (!response.ok) {
    const { message } = (answer ?? {}) as { message?: unknown };
    const said = typeof message === 'string' ? message : `status ${status}`;
    throw new CommandError(`Immich refuses ${pathname}: ${said}`);
  }
  if (answer === undefined) throw new CommandError(`What answers at ${origin} is no Immich server.`);
  return answer;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

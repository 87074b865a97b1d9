import { createParser } from 'eventsource-parser';
import { ApiError, toApiError, unreachable } from './api-error.ts';
import type { Client } from './client.ts';
import type { Event as ServiceEvent } from './generated/index.ts';
import { pause } from './pause.ts';
import type { Transport } from './transport.ts';

/** The events that a workspace has, such as `media.completed`. */
export type EventType = ServiceEvent['type'];

/**
 * What a stream of events gives: the events, and two signs that there may be changes which no event told of. `ready` comes first where the
 * stream begins at the present, and `gap` where the service no longer knows the event that was named: read what you show after either.
 */
export type StreamedEvent = (ServiceEvent | { type: 'ready' } | { type: 'gap' }) & {
  /** Where the stream is now: given to `subscribeToEvents`, it goes on behind this event. Null when nothing was in the log yet. */
  lastEventId: string | null;
};

export type SubscribeOptions = {
  /** Goes on behind this event, which a stream gave before; the service keeps events for a week. Without it from now on. */
  lastEventId?: string | null;
  /** Only events of these types. */
  types?: readonly EventType[];
  /** Ends the stream. */
  signal?: AbortSignal;
  /**
   * Is told true when the stream is there, and false when it breaks, with the reason. It then comes back by itself; what happened
   * meanwhile comes too.
   */
  onState?: (live: boolean, problem?: ApiError) => void;
};

/** The service sends something every 15 s. A connection that is silent for so long is dead, milliseconds. */
const silentMs = 45_000;
/** Wait before the stream is asked for again, milliseconds; the service may name another one (`retry:`). It doubles with each failure. */
const firstRetryMs = 1000;
const maxRetryMs = 30_000;
/** Longest event that is taken, characters. */
const maxEventLength = 2 ** 20;

/**
 * The events of a workspace as they happen. The loop ends when the signal aborts; a connection that breaks is made again, and goes on
 * behind the last event.
 * @throws ApiError when asking again would not help: the key is refused, or the service has no events (`isNotSupported`)
 * @throws TypeError when `lastEventId` is none that a stream gave
 */
export async function* subscribeToEvents(
  client: Client,
  options: SubscribeOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  const { signal, onState } = options;
  const position: Position = { lastEventId: options.lastEventId ?? null, retryMs: firstRetryMs };
  // What no header can hold would look like a service that is away.
  if (!isHeaderValue(position.lastEventId ?? '')) throw new TypeError('`lastEventId` is none that a stream gave.');
  for (let failures = 0; ; failures++) {
    if (signal?.aborted) return;
    const connection = new Connection(signal);
    let problem = unreachable();
    try {
      await client.transport.throttle.whenAllowed(signal);
      const response = await connect(client.transport, position, options, connection.signal);
      onState?.(true);
      client.transport.onReachable(true);
      for await (const event of readEvents(response, position, connection)) {
        failures = 0;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      problem = error instanceof ApiError ? error : unreachable(error);
      if (!passes(problem)) throw problem;
    } finally {
      connection.close();
    }
    onState?.(false, problem);
    await pause(retryDelay(problem, position.retryMs, failures), signal).catch(() => undefined);
  }
}

const isHeaderValue = (text: string): boolean => /^[\x20-\x7E]*$/.test(text);

type Position = { lastEventId: string | null; retryMs: number };

/** Whether a failure may be over soon. */
const passes = ({ status }: ApiError): boolean => status === 0 || status === 429 || (status >= 500 && status !== 501);

/** Milliseconds. With chance in it, so that the clients of a service that starts again do not all come at once. */
function retryDelay({ retryAt }: ApiError, retryMs: number, failures: number): number {
  const longest = Math.min(Math.max(maxRetryMs, retryMs), retryMs * 2 ** failures);
  return Math.max(longest * (0.5 + Math.random() / 2), (retryAt ?? 0) - Date.now());
}

/** A connection that is given up when the caller says so, or when nothing comes any more. */
class Connection {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    outer?.addEventListener('abort', this.close, { once: true });
    if (outer?.aborted) this.close();
    this.noteLife();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  noteLife(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.close, silentMs);
  }

  readonly close = (): void => {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.close);
    this.#controller.abort();
  };
}

async function connect(
  { baseUrl, fetch, authorization }: Transport,
  { lastEventId }: Position,
  { types }: SubscribeOptions,
  signal: AbortSignal,
): Promise<Response> {
  const query = types ? `?${new URLSearchParams({ types: types.join(',') })}` : '';
  const headers = {
    ...authorization(),
    Accept: 'text/event-stream',
    ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }),
  };
  const response = await fetch(`${baseUrl}/events${query}`, { headers, cache: 'no-store', signal });
  if (!response.ok) throw toApiError(await response.json().catch(() => undefined), response.status, response.headers);
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream') && response.body) return response;
  throw new ApiError('not_found', 'The service sends no stream of events.', { status: 404, requestId: null });
}

/** The events of one connection, until that ends. */
async function* readEvents(
  response: Response,
  position: Position,
  connection: Connection,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const received: StreamedEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    // A wait of 0 would not grow.
    onRetry: (milliseconds) => (position.retryMs = Math.max(1, milliseconds)),
    onId: (id) => (position.lastEventId = id === '' ? null : id),
    onEvent: ({ event, data }) => {
      const { lastEventId } = position;
      if (event === 'ready' || event === 'gap') received.push({ type: event, lastEventId });
      else received.push({ ...(JSON.parse(data) as ServiceEvent), lastEventId });
    },
  });
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    connection.noteLife();
    parser.feed(decoder.decode(value, { stream: true }));
    yield* received.splice(0);
  }
}

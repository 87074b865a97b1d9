import { expect, vi } from 'vitest';
import { basePath } from '../../contract/base-path.ts';

/** One block of a stream: an event, or what the stream says of itself. */
type Received = { id?: string; event?: string; data?: string; retry?: string };

const parseBlock = (block: string): Received =>
  Object.fromEntries(
    block
      .split('\n')
      .filter((line) => !line.startsWith(':'))
      .map((line) => line.split(/: (.*)/s, 2)),
  ) as Received;

/** Follows the events of a service as a client does that knows nothing of it but the format. */
export async function followEvents(
  url: string,
  key: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const aborting = new AbortController();
  const response = await fetch(`${url}${basePath}/events${query}`, {
    headers: { Authorization: `Bearer ${key}`, ...headers },
    signal: aborting.signal,
  });
  const received: Received[] = [];
  let text = '';
  /** Resolves when the stream has ended. */
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      received.push(...blocks.map(parseBlock).filter(({ event }) => event !== undefined));
    }
  })().catch(() => undefined);
  return {
    response,
    received,
    ended,
    /** What came so far, in short. */
    types: () => received.map(({ event }) => event),
    /** Waits until these have come, and nothing else. */
    expectTypes: (expected: string[]) =>
      vi.waitFor(() => expect(received.map(({ event }) => event)).toEqual(expected), 20_000),
    lastEventId: () => received.findLast(({ id }) => id !== undefined)?.id ?? '',
    async [Symbol.asyncDispose]() {
      aborting.abort();
      await ended;
    },
  };
}

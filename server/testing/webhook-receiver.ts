import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as a receiver gets it. */
export type ReceivedMessage = { headers: IncomingHttpHeaders; body: string };

type Answers = { status: number | null; body: string; afterMs: number };

/**
 * A receiver of webhooks on this machine, which keeps what it gets. `answers` says with which status it answers, 200 by default, null for never, and after how many milliseconds; `next`
 * resolves with the first message from now on, or earlier and not asked for yet, that a condition is true of.
 */
export async function startReceiver(): Promise<
  AsyncDisposable & {
    url: string;
    messages: ReceivedMessage[];
    answers: Answers;
    next(matches: (type: string, message: ReceivedMessage) => boolean): Promise<ReceivedMessage>;
  }
> {
  const messages: ReceivedMessage[] = [];
  const answers: Answers = { status: 200, body: 'ok', afterMs: 0 };
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      messages.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      const { status, body, afterMs } = answers;
      if (status !== null) setTimeout(() => response.writeHead(status).end(body), afterMs);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const taken = new Set<ReceivedMessage>();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=receiver-token`,
    messages,
    answers,
    async next(matches) {
      const { promise, resolve } = Promise.withResolvers<ReceivedMessage>();
      const look = () => {
        const typeOf = ({ body }: ReceivedMessage) => (JSON.parse(body) as { type: string }).type;
        const found = messages.find((message) => !taken.has(message) && matches(typeOf(message), message));
        if (found) resolve(found);
      };
      waiting.add(look);
      look();
      const message = await promise;
      waiting.delete(look);
      taken.add(message);
      return message;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

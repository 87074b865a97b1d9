import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type Connection, createMcpServer } from './server.ts';

/** How long calls that are under way when the input ends may take, milliseconds. */
const lastAnswersMs = 30_000;

/**
 * Serves the tools over the standard input and output of this process, which must write nothing else there.
 * @param signal ends it at once
 * @returns when the agent has closed the standard input, and has the answers to what it asked before
 */
export async function runStdio(connection: Connection, signal?: AbortSignal): Promise<void> {
  const input = Readable.from(readInput());
  const transport = new StdioServerTransport(input);
  const onerror = (failure: Error) => connection.onError(isUnreadable(failure) ? unreadableLine() : failure);
  const server = serveStdio(() => createMcpServer(connection), { transport, onerror });
  const calls = watchCalls(transport);
  const close = () => void server.close();
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();
  await calls.closed;
  // That it ends before its end is no failure.
  input.on('error', () => undefined);
  process.stdin.destroy();

  /** Ends after the last answers: with its input, the transport drops what it has not answered. */
  async function* readInput(): AsyncGenerator<Buffer, void, undefined> {
    yield* process.stdin as AsyncIterable<Buffer>;
    await Promise.race([calls.answered(), delay(lastAnswersMs, undefined, { ref: false })]);
    await server.close();
  }
}

/** Follows what comes in and goes out: which calls wait for their answers, and when all is closed. */
function watchCalls(transport: StdioServerTransport) {
  const waiting = new Set<string | number>();
  let onAnswered: (() => void) | undefined;
  const { onmessage, onclose } = transport;
  const send = transport.send.bind(transport);

  const settle = (id: unknown) => {
    waiting.delete(id as string | number);
    if (waiting.size === 0) onAnswered?.();
  };
  const receive = (message: JSONRPCMessage) => {
    // A subscription is answered when it ends, which is when all is closed.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') waiting.add(message.id);
    // What is cancelled is not answered.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      settle(message.params?.['requestId']);
    onmessage?.(message);
  };
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) settle(message.id);
  };
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      onclose?.();
      resolve();
    };
    Object.assign(transport, { onmessage: receive, onclose: end });
  });
  return {
    closed,
    /** Resolves when no call waits for its answer. To be asked when nothing comes in any more. */
    answered: (): Promise<void> =>
      waiting.size === 0 ? Promise.resolve() : new Promise((resolve) => (onAnswered = resolve)),
  };
}

/** Whether a line of the input was JSON, and no message of the protocol; those that are no JSON are skipped. */
const isUnreadable = ({ name }: Error): boolean => name.endsWith('ZodError') || name === 'SyntaxError';

const unreadableLine = () =>
  new Error('A line of the input is no message of the Model Context Protocol. It was skipped.');

import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to a connection when so many bytes of parts have passed in all. */
export type Break = {
  at: number;
  /** `cut`: both sides learn of it; `hang`: the service waits for the rest of a body that never comes; `kill`: the service is killed. */
  kind: 'cut' | 'hang' | 'kill';
};

export type InterruptingProxy = AsyncDisposable & {
  url: string;
  /** Bytes of parts that went to the service. */
  sent: () => number;
  /** The breaks that have happened. */
  happened: Break[];
};

/** Larger than it is worth to wait for a service that starts, milliseconds. */
const patienceMs = 60_000;

/**
 * Stands between a client and a service, and breaks connections in the middle of parts of uploads (tus).
 * @param options.target where the service is at the moment; null: it is not there
 * @param options.onAcknowledgedAgain is told of a part that begins before what the service has acknowledged to the client
 */
export async function startInterruptingProxy(options: {
  target: () => string | null;
  breaks: Break[];
  kill: () => Promise<void>;
  onAcknowledgedAgain: (offset: number, acknowledged: number) => void;
}): Promise<InterruptingProxy> {
  const { target, kill, onAcknowledgedAgain } = options;
  const pending = options.breaks.toSorted((a, b) => a.at - b.at);
  const happened: Break[] = [];
  let sent = 0;
  let acknowledged = 0;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = await waitFor(target);
    const isPart = request.method === 'PATCH';
    const offset = Number(request.headers['upload-offset'] ?? 0);
    if (isPart && offset < acknowledged) onAcknowledgedAgain(offset, acknowledged);
    const upstream = httpRequest(`${url}${request.url}`, { method: request.method, headers: request.headers });
    upstream.on('error', () => response.destroy());
    upstream.on('response', (answer) => {
      if (isPart || request.method === 'HEAD') {
        const stored = Number(answer.headers['upload-offset'] ?? 0);
        if ((answer.statusCode ?? 500) < 300) acknowledged = Math.max(acknowledged, stored);
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    const meter = new Transform({
      transform(bytes: Buffer, _encoding, done) {
        if (isPart) sent += bytes.length;
        const next = pending[0];
        if (!isPart || !next || sent < next.at) return done(null, bytes);
        pending.shift();
        happened.push(next);
        response.destroy();
        request.destroy();
        if (next.kind === 'cut') upstream.destroy();
        if (next.kind === 'kill') void kill();
        // The rest of the body never comes.
      },
    });
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.pipe(meter).pipe(upstream);
  }

  const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    server.emit('request', request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    happened,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function waitFor(target: () => string | null): Promise<string> {
  for (const begun = Date.now(); Date.now() - begun < patienceMs;) {
    const url = target();
    if (url !== null) return url;
    await sleep(50);
  }
  throw new Error('The service does not come back.');
}

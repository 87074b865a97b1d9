import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as sendOn,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

type StubResponse = { status: number; type: string; body: string; headers?: Record<string, string> };

/** Sends a request on to the service, and its response back. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, { hostname, port }: URL): ClientRequest {
  const { url: path, method, headers } = incoming;
  const onward = sendOn({ hostname, port, path, method, headers });
  onward.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
  return onward;
}

/** A reverse proxy in front of the service, which records requests and can answer in the service's place. */
export async function startReverseProxy(target: string) {
  const service = new URL(target);
  const requestLines: string[] = [];
  let cut: { pattern: RegExp; bytes: number } | null = null;
  /** The path of the request that was cut. */
  let broken: string | null = null;
  let changing: { pattern: RegExp; times: number } | null = null;
  let substitute: (path: string) => StubResponse | null = () => null;
  const server = createServer((incoming, outgoing) => {
    const { url: path = '/', method = 'GET' } = incoming;
    requestLines.push(`${method} ${path}`);
    const answer = substitute(path);
    if (answer) {
      incoming.resume();
      outgoing.writeHead(answer.status, { 'Content-Type': answer.type, ...answer.headers }).end(answer.body);
      return;
    }
    const onward = forward(incoming, outgoing, service);
    const change = changing !== null && changing.pattern.test(`${method} ${path}`) && changing.times-- > 0;
    // Before the pipe has sent it.
    if (change) incoming.prependOnceListener('data', (chunk: Buffer) => (chunk[0] = ~(chunk[0] ?? 0)));
    if (!cut?.pattern.test(`${method} ${path}`)) {
      if (path === broken) [cut, broken] = [null, null];
      return;
    }
    incoming.on('data', (chunk: Buffer) => {
      if (cut === null || onward.destroyed || (cut.bytes -= chunk.length) >= 0) return;
      broken = path;
      onward.destroy();
      incoming.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** The URL of the same page through the proxy. */
    proxyUrl: (address: string): string => url + address.slice(new URL(address).origin.length),
    /** How many requests were made whose method and path match. */
    count: (pattern: RegExp): number => requestLines.filter((line) => pattern.test(line)).length,
    /** Responds to requests for which this function returns a response. */
    stub(choose: typeof substitute): void {
      substitute = choose;
    },
    /**
     * Breaks the connection once so many bytes of the next requests that match have come, and each time that the last one is repeated, which
     * browsers do by themselves: until something else is asked of its path.
     */
    cutNext(pattern: RegExp, bytes: number): void {
      cut = { pattern, bytes };
    },
    /** Changes a byte of each of the next requests that match. */
    changeNext(pattern: RegExp, times: number): void {
      changing = { pattern, times };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createServer, request as sendOn } from 'node:http';
import type { AddressInfo } from 'node:net';

type StubResponse = { status: number; type: string; body: string; headers?: Record<string, string> };

/** A reverse proxy in front of the service, which records requests and can answer in the service's place. */
export async function startReverseProxy(target: string) {
  const { hostname, port } = new URL(target);
  const requestLines: string[] = [];
  let cut: { pattern: RegExp; bytes: number } | null = null;
  let substitute: (path: string) => StubResponse | null = () => null;
  const server = createServer((incoming, outgoing) => {
    const { url: path = '/', method = 'GET', headers } = incoming;
    requestLines.push(`${method} ${path}`);
    const answer = substitute(path);
    if (answer) {
      incoming.resume();
      outgoing.writeHead(answer.status, { 'Content-Type': answer.type, ...answer.headers }).end(answer.body);
      return;
    }
    const onward = sendOn({ hostname, port, path, method, headers });
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
    if (!cut?.pattern.test(`${method} ${path}`)) return;
    let left = cut.bytes;
    cut = null;
    incoming.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left >= 0) return;
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
    /** Breaks the connection of the next request that matches, once so many bytes of its body have come. */
    cutNext(pattern: RegExp, bytes: number): void {
      cut = { pattern, bytes };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

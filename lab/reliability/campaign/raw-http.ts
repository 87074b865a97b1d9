import { connect, type Socket } from 'node:net';

/** One HTTP response as it came over the wire. */
export type RawResponse = { status: number; headers: Headers; body: Buffer };

/** Why there is no response: a timeout, a connection closed without one, or bytes that are not HTTP. */
export class NoResponseError extends Error {
  override name = 'NoResponse';
  readonly reason: 'timeout' | 'closed' | 'malformed';

  constructor(reason: NoResponseError['reason'], detail = '') {
    super(`${reason} ${detail}`);
    this.reason = reason;
  }
}

export type RawRequest = {
  method: string;
  /** As it stands in the request line, whatever it holds. */
  target: string;
  /** In order; a name may repeat. `Host` and `Connection: close` are added unless given. */
  headers?: [name: string, value: string][];
  body?: Buffer;
};

/** Writes a request as bytes. Header values are written as UTF-8, valid or not. */
export function serializeRequest({ method, target, headers = [], body }: RawRequest, port: number): Buffer {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const framed = given.has('content-length') || given.has('transfer-encoding');
  const all: [string, string][] = [
    ...(given.has('host') ? [] : ([['Host', `127.0.0.1:${port}`]] as [string, string][])),
    ...(given.has('connection') ? [] : ([['Connection', 'close']] as [string, string][])),
    ...headers,
    ...(framed || body === undefined ? [] : ([['Content-Length', String(body.length)]] as [string, string][])),
  ];
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );
  return Buffer.concat([Buffer.from(head), body ?? Buffer.alloc(0)]);
}

/** Opens a connection. `from` is the loopback address to come from, because limits count by address. */
export const openConnection = (port: number, from = '127.0.0.1'): Socket =>
  connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });

/**
 * Sends bytes over a connection of their own and reads the response.
 * @param options.milliseconds that the answer may take; @throws NoResponseError beyond
 */
export async function exchange(
  port: number,
  bytes: Buffer,
  { milliseconds = 30_000, from = '127.0.0.1' }: { milliseconds?: number; from?: string } = {},
): Promise<RawResponse> {
  const socket = openConnection(port, from);
  const received: Buffer[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new NoResponseError('timeout')), milliseconds);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      socket.on('data', (part: Buffer) => received.push(part));
      // A service may respond and close before it has read everything; what arrived until then counts.
      socket.on('error', done);
      socket.on('close', done);
      socket.on('end', done);
      socket.write(bytes);
    });
  } finally {
    socket.destroy();
  }
  return parseResponse(Buffer.concat(received));
}

function parseResponse(bytes: Buffer): RawResponse {
  if (bytes.length === 0) throw new NoResponseError('closed');
  const end = bytes.indexOf('\r\n\r\n');
  const [line = '', ...fields] = bytes.subarray(0, Math.max(0, end)).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(line)?.[1]);
  if (end < 0 || !Number.isInteger(status)) throw new NoResponseError('malformed', bytes.toString('latin1', 0, 200));
  // 100 Continue, and the like, goes before the response.
  if (status < 200) return parseResponse(bytes.subarray(end + 4));
  const headers = new Headers();
  for (const field of fields) headers.append(...splitField(field));
  const rest = bytes.subarray(end + 4);
  const body = headers.get('Transfer-Encoding') === 'chunked' ? joinChunks(rest) : rest;
  return { status, headers, body };
}

function splitField(field: string): [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon), field.slice(colon + 1).trim()];
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (end < 0 || !(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What comes back over a bare connection. */
export type RawResponse = { status: number; headers: Headers; body: unknown };

/** Sends bytes over a bare connection, as they are, and reads one answer in JSON. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawResponse> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  let received = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += String(chunk);
    const answer = parseResponse(received);
    if (answer) return answer;
  }
  throw new Error(`The connection was closed without an answer: ${received}`);
}

/** Sends the head of a request that asks before it sends its body; ready when the service waits for that. */
export async function openExpectingContinue(url: string, head: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(head);
  const [first] = (await once(socket, 'data')) as [Buffer];
  if (!String(first).startsWith('HTTP/1.1 100 '))
    throw new Error(`The service did not wait for a body: ${String(first)}`);
  return socket;
}

/** The answer in what has been received, once it is whole. */
function parseResponse(received: string): RawResponse | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const content = Buffer.from(received.slice(end + 4));
  const length = Number(headers.get('Content-Length'));
  if (content.length < length) return undefined;
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: JSON.parse(content.subarray(0, length).toString()),
  };
}

import { connect } from 'node:net';

/** What comes back over a bare connection. */
export type RawAnswer = { status: number; headers: Headers; body: unknown };

/** Sends bytes over a bare connection, as they are, and reads one answer in JSON. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  let received = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += String(chunk);
    const answer = readAnswer(received);
    if (answer) return answer;
  }
  throw new Error(`The connection was closed without an answer: ${received}`);
}

/** The answer in what has been received, once it is whole. */
function readAnswer(received: string): RawAnswer | undefined {
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

import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AttemptResult, DeliveryRow } from '../../catalog/events/webhook-deliveries.ts';
import { type checkedAgents, hasNoAddress } from '../../platform/outbound/checked-agent.ts';

/** A message as it is sent: `id` is the event's, `body` the exact bytes that are signed. */
type Message = { id: string; body: string };

/**
 * The header fields by which a receiver knows who sent a message, and when: Standard Webhooks 1.0, signatures `v1` (HMAC-SHA-256).
 * @param secrets of the form `whsec_` and base64; one signature for each
 * @param time of this attempt, which a receiver compares with its own clock
 */
export function signMessage({ id, body }: Message, secrets: readonly string[], time: Date): Record<string, string> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** How long a receiver has to answer, milliseconds. */
export const timeoutMs = 15_000;
/** Bytes of a response that are read and kept. */
const maxBodyBytes = 1024;

type Receiver = {
  url: string;
  /** The newest first. */
  secrets: readonly string[];
};

/**
 * Sends a message to a receiver once. Redirects are not followed, and of the response no more is read than is kept: the status decides, so a body
 * that never ends changes nothing. Never throws.
 * @param signal aborts the attempt, which then has failed
 */
export async function sendMessage(
  message: Message,
  { url, secrets }: Receiver,
  agents: ReturnType<typeof checkedAgents>,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const begun = performance.now();
  const attempt = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const result = { status: null, body: null, durationMs: 0, error: null };
  try {
    const response = await request(message, { url, secrets }, agents, attempt);
    const durationMs = Math.round(performance.now() - begun);
    const status = response.statusCode ?? 0;
    return { status, body: await readExcerpt(response), durationMs, error: describeStatus(status) };
  } catch (error) {
    return { ...result, durationMs: Math.round(performance.now() - begun), error: describeError(error) };
  }
}

function request(
  message: Message,
  { url, secrets }: Receiver,
  agents: ReturnType<typeof checkedAgents>,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const isPlain = url.startsWith('http:');
  const options = {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(message.body),
      'user-agent': 'media-search',
      ...signMessage(message, secrets, new Date()),
    },
  };
  const sent = isPlain
    ? http.request(url, { ...options, agent: agents.http })
    : https.request(url, { ...options, agent: agents.https });
  // Of a connection that breaks later, the response says so.
  sent.on('error', reject);
  sent.on('response', resolve);
  // Unless somebody listens, Node closes such a connection and says nothing: the attempt would never end.
  sent.on('upgrade', (response, socket) => {
    socket.destroy();
    response.destroy();
    resolve(response);
  });
  sent.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  sent.end(message.body);
  return promise;
}

/** The beginning of a response as text, and the end of its connection. What breaks off is kept as far as it came. */
async function readExcerpt(response: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= maxBodyBytes) break;
    }
  } catch {
    // The status has arrived.
  }
  response.destroy();
  // PostgreSQL stores no null character in a text.
  return Buffer.concat(parts).subarray(0, maxBodyBytes).toString('utf8').replaceAll('\0', '�');
}

/** What is wrong with a status; null: nothing. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `It answered with status ${status}; redirects are not followed.`;
  return `It answered with status ${status}.`;
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'It refused the connection.',
  ECONNRESET: 'It closed the connection without an answer.',
  EPIPE: 'It closed the connection without an answer.',
  ABORT_ERR: `It did not answer within ${timeoutMs / 1000} seconds.`,
};

/** Why no response came. Messages of the system would name addresses that a host name leads to, so only their codes are used. */
function describeError(error: unknown): string {
  if (hasNoAddress(error)) return 'It has no address, or one that this service does not connect to.';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  if (Object.hasOwn(reasons, code)) return reasons[code] ?? '';
  return `The connection failed (${code}).`;
}

/** The body of a delivery as Standard Webhooks writes it, JSON: the same bytes at each attempt. */
export const payloadOf = ({ type, created_at, data }: Pick<DeliveryRow, 'type' | 'created_at' | 'data'>): string =>
  `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(created_at)},"data":${data}}`;

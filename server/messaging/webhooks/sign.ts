import { createHmac } from 'node:crypto';

/** A message as it is sent: `id` is the event's, `body` the exact bytes that are signed. */
export type Message = { id: string; body: string };

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

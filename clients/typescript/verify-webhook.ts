import { Webhook } from 'standardwebhooks';
import type { Event as ServiceEvent } from './generated/index.ts';

/** What a webhook sends: an event, or what an owner sent to try it. `id` is the same when it is sent again. */
export type WebhookEvent =
  | ServiceEvent
  | { id: string; type: 'webhook.test'; timestamp: string; data: Record<string, unknown> };

/** A request that is not to be trusted. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

type HeadersOfRequest = Headers | Record<string, string | string[] | undefined>;

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Makes sure that a request comes from the service, by the signature of Standard Webhooks 1.0, and gives its event. A request that was
 * signed more than five minutes ago is refused, so the clock of the receiver has to be right.
 * @param secret the webhook's secret, `whsec_…`
 * @param rawBody the body as it was received: JSON that was read and written again has other bytes
 * @param headers of the request, as Fetch or Node give them
 * @throws WebhookVerificationError when the request is not to be trusted
 * @throws TypeError when the secret is empty or no base64: the receiver is not set up, and no request can be checked
 */
export function verifyWebhook(secret: string, rawBody: string | Uint8Array, headers: HeadersOfRequest): WebhookEvent {
  const signed = Object.fromEntries(names.map((name) => [name, readHeader(headers, name)]));
  // Bytes that are no UTF-8 are read as other characters, so that their signature fails.
  const body = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
  return { ...verify(readSecret(secret), body, signed), id: signed['webhook-id'] ?? '' };
}

function readSecret(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch (error) {
    throw new TypeError('The secret of the webhook is not `whsec_` and base64, as the settings show it.', {
      cause: error,
    });
  }
}

function verify(webhook: Webhook, body: string, signed: Record<string, string>): WebhookEvent {
  let event: unknown;
  try {
    event = webhook.verify(body, signed);
  } catch (error) {
    throw new WebhookVerificationError(error instanceof Error ? error.message : 'The request cannot be read', {
      cause: error,
    });
  }
  if (typeof event !== 'object' || event === null) throw new WebhookVerificationError('The body is no event');
  return event as WebhookEvent;
}

function readHeader(headers: HeadersOfRequest, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : '';
}

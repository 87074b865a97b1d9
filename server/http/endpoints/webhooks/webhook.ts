import type { EventType } from '../../../../contract/events.ts';
import type { Webhook, WebhookDelivery } from '../../../../contract/webhooks.ts';
import type { DeliveryRow } from '../../../catalog/events/webhook-deliveries.ts';
import { findWebhook, type ListedWebhook, type WebhookRow } from '../../../catalog/events/webhooks.ts';
import type { Catalog } from '../../../catalog/schema.ts';
import { ApiError, notFoundError, validationError } from '../../../errors/api-error.ts';
import { payloadOf } from '../../../messaging/webhooks/payload.ts';
import { checkAddress, type OutboundAccess } from '../../../platform/outbound/checked-agent.ts';

/** A webhook as the dashboard shows it: without its secret. */
export function toWebhook(row: ListedWebhook): Webhook {
  const { id, url, description, disabled_at, disabled_reason, failing_since, missed, missed_since, created_at } = row;
  const isRotated = row.previous_until !== null && row.previous_until > new Date().toISOString();
  return {
    id,
    url,
    description,
    types: row.types.split(' ') as EventType[],
    enabled: disabled_at === null,
    disabled_at,
    disabled_reason,
    failing_since,
    waiting: row.waiting,
    missed: missed_since === null ? null : { count: missed, since: missed_since },
    previous_secret_until: isRotated ? row.previous_until : null,
    created_by: row.person,
    created_at,
  };
}

export const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
  event_id: row.event_id,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at,
  last_attempt_at: row.last_attempt_at,
  response: row.response_status === null ? null : { status: row.response_status, body: row.response_body ?? '' },
  duration_ms: row.duration_ms,
  error: row.error,
  payload: payloadOf(row),
  created_at: row.created_at,
});

/** Throws `validation_error` where the service would not connect to a URL now. It is asked again at each delivery. */
export async function checkWebhookUrl(url: string, outbound: OutboundAccess): Promise<void> {
  const parsed = new URL(url);
  const invalid = (message: string) => validationError([{ path: 'body.url', message }]);
  if (parsed.username !== '' || parsed.password !== '') throw invalid('must hold no user name or password');
  const verdict = await checkAddress(parsed, { ...outbound, plain: 'allowed' });
  if (verdict === 'checked') return;
  const message =
    parsed.protocol === 'http:'
      ? 'must have https: only addresses that the operator allowed are sent to without encryption'
      : 'leads to no IP address, or to a private IP address, which this service does not send to';
  throw invalid(message);
}

/** Reads a webhook. Throws `not_found` when there is none. */
export async function requireWebhook(db: Catalog, workspaceId: string, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(db, workspaceId, id);
  if (!webhook) throw notFoundError('webhook');
  return webhook;
}

/** Reads a webhook that events are sent to. Throws `not_ready` when it is disabled, besides. */
export async function requireEnabledWebhook(db: Catalog, workspaceId: string, id: string): Promise<WebhookRow> {
  const webhook = await requireWebhook(db, workspaceId, id);
  if (webhook.disabled_at !== null) throw new ApiError('not_ready', 'This webhook is disabled. Enable it first.');
  return webhook;
}

export const lostSecretError = (): ApiError =>
  new ApiError(
    'not_ready',
    'The secret key that encrypted this secret was replaced. Rotate the secret to get a new one.',
  );

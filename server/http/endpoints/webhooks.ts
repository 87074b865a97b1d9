import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { EventType } from '../../../contract/events.ts';
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import {
  addTestDelivery,
  deliverAgain,
  type DeliveryRow,
  listDeliveries,
} from '../../catalog/events/webhook-deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findListedWebhook,
  findWebhook,
  type ListedWebhook,
  listWebhooks,
  revealWebhookSecrets,
  rotateWebhookSecret,
  type WebhookRow,
} from '../../catalog/events/webhooks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError, countLimitError, notFoundError, validationError } from '../../errors/api-error.ts';
import { payloadOf } from '../../messaging/webhooks/send-message.ts';
import { checkAddress, type OutboundAccess } from '../../platform/outbound/checked-agent.ts';
import { serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { toPageMeta } from '../operations/serve-operation.ts';

/** A webhook as the dashboard shows it: without its secret. */
function toWebhook(row: ListedWebhook): Webhook {
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

const toDelivery = (row: DeliveryRow): WebhookDelivery => ({
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
async function checkWebhookUrl(url: string, outbound: OutboundAccess): Promise<void> {
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
async function requireWebhook(db: Catalog, workspaceId: string, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(db, workspaceId, id);
  if (!webhook) throw notFoundError('webhook');
  return webhook;
}

/** Reads a webhook that events are sent to. Throws `not_ready` when it is disabled, besides. */
async function requireEnabledWebhook(db: Catalog, workspaceId: string, id: string): Promise<WebhookRow> {
  const webhook = await requireWebhook(db, workspaceId, id);
  if (webhook.disabled_at !== null) throw new ApiError('not_ready', 'This webhook is disabled. Enable it first.');
  return webhook;
}

const lostSecretError = (): ApiError =>
  new ApiError(
    'not_ready',
    'The secret key that encrypted this secret was replaced. Rotate the secret to get a new one.',
  );

/** `PATCH /manage/webhooks/:id`. */
function serveUpdateWebhook(app: FastifyInstance, { db, secrets, outbound }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.updateWebhook, async ({ workspaceId, params, body, member }) => {
    const before = await requireWebhook(db, workspaceId, params.id);
    if (body.url !== undefined) await checkWebhookUrl(body.url, outbound);
    if (body.enabled === true && !revealWebhookSecrets(secrets, before)) throw lostSecretError();
    await changeWebhook(db, workspaceId, params.id, body, member.person.id);
    const row = await findListedWebhook(db, workspaceId, params.id);
    if (!row) throw notFoundError('webhook');
    return { data: toWebhook(row) };
  });
}

/** The operations on webhooks. */
export function serveWebhooks(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, pubsub, outbound, secrets } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.createWebhook, async ({ workspaceId, body, member }) => {
    await checkWebhookUrl(body.url, outbound);
    const created = await createWebhook(db, secrets, workspaceId, body, member.person.id);
    if (created === 'full') throw countLimitError('webhooks');
    return {
      data: { ...toWebhook({ ...created.row, person: member.person.name, waiting: 0 }), secret: created.secret },
    };
  });

  serveMemberOperation(app, db, dashboardOperations.deleteWebhook, async ({ workspaceId, params }) => {
    if (!(await deleteWebhook(db, workspaceId, params.id))) throw notFoundError('webhook');
    return { data: { id: params.id, deleted: true as const } };
  });

  serveMemberOperation(app, db, dashboardOperations.listDeliveries, async ({ workspaceId, params, query }) => {
    const webhook = await requireWebhook(db, workspaceId, params.id);
    const { rows, total } = await listDeliveries(db, webhook, query);
    return { data: rows.map(toDelivery), meta: toPageMeta(query, total) };
  });

  serveMemberOperation(app, db, dashboardOperations.listWebhooks, async ({ workspaceId }) => ({
    data: (await listWebhooks(db, workspaceId)).map(toWebhook),
  }));

  serveMemberOperation(app, db, dashboardOperations.redeliver, async ({ workspaceId, params, body }) => {
    const webhook = await requireEnabledWebhook(db, workspaceId, params.id);
    const redelivered = await deliverAgain(db, webhook, body);
    await pubsub.publish(db, 'events', workspaceId);
    return { data: { redelivered } };
  });

  serveMemberOperation(app, db, dashboardOperations.revealWebhookSecret, async ({ workspaceId, params }) => {
    const row = await requireWebhook(db, workspaceId, params.id);
    const revealed = revealWebhookSecrets(secrets, row);
    if (!revealed) throw lostSecretError();
    return { data: { id: row.id, secret: revealed[0] } };
  });

  serveMemberOperation(app, db, dashboardOperations.rotateWebhookSecret, async ({ workspaceId, params }) => {
    const secret = await rotateWebhookSecret(db, secrets, workspaceId, params.id);
    if (secret === undefined) throw notFoundError('webhook');
    return { data: { id: params.id, secret } };
  });

  serveMemberOperation(app, db, dashboardOperations.testWebhook, async ({ workspaceId, params }) => {
    const webhook = await requireEnabledWebhook(db, workspaceId, params.id);
    const row = await addTestDelivery(db, webhook);
    if (row === 'full') throw new ApiError('not_ready', 'Too many deliveries wait: no event is added to them.');
    await pubsub.publish(db, 'events', workspaceId);
    return { data: toDelivery(row) };
  });

  serveUpdateWebhook(app, dependencies);
}

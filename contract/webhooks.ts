import { z } from 'zod';
import { eventType } from './events.ts';
import type { Operation } from './operation.ts';
import { deleted, identifier, idParams, pageMeta, pageParameters, timestamp } from './parameters.ts';

/** Most webhooks of a workspace. */
export const maxWebhooks = 10;
/** Most deliveries of a webhook that wait; events beyond are not sent to it. */
export const maxWaitingDeliveries = 10_000;
/** The shortest time between two attempts when all that wait are sent at once: as long as between the first two of the schedule. */
export const resendPauseSeconds = 5;

const url = z
  .url({ protocol: /^https?$/, error: 'must be a URL with https' })
  .max(2000, 'must have at most 2000 characters')
  .describe('Where events are sent: `https`; `http` only to an address that the operator allowed.')
  .meta({ examples: ['https://hooks.example.org/media'] });
const types = z
  .array(eventType)
  .min(1, 'must name an event')
  .transform((names) => [...new Set(names)])
  .describe('The events that are sent.')
  .meta({ examples: [['media.completed', 'media.failed']] });
const description = z
  .string()
  .trim()
  .max(200, 'must have at most 200 characters')
  .describe('What it is for; may be empty.')
  .meta({ examples: ['Publishes finished clips'] });

const exampleWebhook = {
  id: '01a1fbe4-6806-793e-a30f-22b8a44e4ff0',
  url: 'https://hooks.example.org/media',
  description: 'Publishes finished clips',
  types: ['media.completed', 'media.failed'],
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  waiting: 0,
  missed: null,
  previous_secret_until: null,
  created_by: 'Ana Lima',
  created_at: '2026-11-21T09:30:00.000Z',
} as const;

const webhook = z
  .object({
    id: identifier,
    url: z.string(),
    description: z.string(),
    types: z.array(eventType),
    enabled: z.boolean(),
    disabled_at: timestamp.nullable(),
    disabled_reason: z
      .enum(['owner', 'gone', 'failing', 'secret_lost'])
      .nullable()
      .describe(
        'The cause that disabled it: an owner; the receiver, by status 410; failures for a day; the loss of the secret key by which its secret was encrypted.',
      ),
    failing_since: timestamp.nullable().describe('The first failure since the last success.'),
    waiting: z.int().min(0).describe('Deliveries that are still to be made, or to be made again.'),
    missed: z
      .object({ count: z.int().min(1), since: timestamp })
      .nullable()
      .describe(`Events that are never sent, because ${maxWaitingDeliveries} deliveries were waiting.`),
    previous_secret_until: timestamp
      .nullable()
      .describe('Until when deliveries are signed with the secret of before the rotation, too.'),
    created_by: z
      .string()
      .nullable()
      .describe(
        'The name of the member that created it, or gave it another URL since; null: it was created before this was recorded.',
      ),
    created_at: timestamp,
  })
  .meta({ id: 'Webhook', examples: [exampleWebhook] });
export type Webhook = z.output<typeof webhook>;

const webhookSecret = z.object({ id: identifier, secret: z.string().regex(/^whsec_/) }).meta({
  id: 'WebhookSecret',
  examples: [{ id: exampleWebhook.id, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
});

const newWebhook = webhook.extend({ secret: webhookSecret.shape.secret }).meta({
  id: 'NewWebhook',
  examples: [{ ...exampleWebhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }],
});

export type NewWebhook = z.output<typeof newWebhook>;

const webhookBody = z.object({ url, types, description: description.default('') }).meta({
  examples: [{ url: exampleWebhook.url, types: ['media.completed'], description: 'Publishes finished clips' }],
});

const webhookChanges = z
  .object({
    url: url.optional(),
    types: types.optional(),
    description: description.optional(),
    enabled: z.boolean().optional().describe('False: deliveries that wait end as failed.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must hold something to change')
  .meta({ examples: [{ enabled: true }] });
export type WebhookChanges = z.output<typeof webhookChanges>;

const deliveryStatus = z.enum(['pending', 'delivered', 'failed']);

const delivery = z
  .object({
    event_id: identifier.describe('The header `webhook-id` of every attempt.'),
    type: z.union([eventType, z.literal('webhook.test')]),
    status: deliveryStatus,
    attempts: z.int().min(0),
    next_attempt_at: timestamp
      .nullable()
      .describe('While pending. While an attempt is under way, when it counts as lost.'),
    last_attempt_at: timestamp.nullable(),
    response: z
      .object({
        status: z.int().describe('HTTP status.'),
        body: z.string().describe('Up to 1 kB of it.'),
      })
      .nullable()
      .describe('Of the last attempt; null when none came, or not yet.'),
    duration_ms: z.int().min(0).nullable().describe('Of the last attempt, milliseconds.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
    payload: z.string().describe('The body that is sent, JSON.'),
    created_at: timestamp.describe('When the event happened.'),
  })
  .meta({
    id: 'WebhookDelivery',
    examples: [
      {
        event_id: '01a1fbe4-7f10-7c55-9d0e-5b1f0c9e2a77',
        type: 'media.completed',
        status: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        last_attempt_at: '2026-11-21T09:30:08.000Z',
        response: { status: 200, body: 'ok' },
        duration_ms: 84,
        error: null,
        payload: '{"type":"media.completed","timestamp":"2026-11-21T09:30:07.000Z","data":{}}',
        created_at: '2026-11-21T09:30:07.000Z',
      },
    ],
  });
export type WebhookDelivery = z.output<typeof delivery>;

const deliveriesQuery = z.object({
  ...pageParameters,
  status: deliveryStatus.optional().describe('Only deliveries in this state.'),
});
export type DeliveriesQuery = z.output<typeof deliveriesQuery>;

const redeliverBody = z
  .object({
    event_id: identifier.optional().describe('One, unless an attempt is under way.'),
    status: z
      .enum(['failed', 'pending'])
      .optional()
      .describe(
        `Without \`event_id\`: all that failed (when left out), the newest ${maxWaitingDeliveries}; or those that wait for another attempt for more than ${resendPauseSeconds} seconds. They are sent at once, and no sooner than ${resendPauseSeconds} seconds after their last attempt.`,
      ),
  })
  .refine((body) => body.event_id === undefined || body.status === undefined, 'must not hold both event_id and status')
  .meta({ examples: [{ status: 'pending' }] });
export type RedeliverBody = z.output<typeof redeliverBody>;

const common = { tag: 'Webhooks', access: 'owner' } as const;

/** Webhooks of a workspace: where its events are sent, and what became of it. */
export const webhookOperations = {
  listWebhooks: {
    ...common,
    method: 'GET',
    path: '/manage/webhooks',
    summary: 'List the webhooks, the newest first.',
    responses: { 200: 'All webhooks.' },
    data: z.array(webhook),
    errors: [],
  },
  createWebhook: {
    ...common,
    method: 'POST',
    path: '/manage/webhooks',
    summary: 'Create a webhook. Its address is checked, and again at each delivery.',
    body: webhookBody,
    responses: { 201: 'The new webhook and its secret.' },
    status: 201,
    data: newWebhook,
    errors: ['quota_exceeded'],
  },
  updateWebhook: {
    ...common,
    method: 'PATCH',
    path: '/manage/webhooks/:id',
    summary: 'Change a webhook, disable or enable it.',
    params: idParams,
    body: webhookChanges,
    responses: { 200: 'The changed webhook.' },
    data: webhook,
    errors: ['not_found', 'not_ready'],
  },
  deleteWebhook: {
    ...common,
    method: 'DELETE',
    path: '/manage/webhooks/:id',
    summary: 'Delete a webhook with its deliveries.',
    params: idParams,
    responses: { 200: 'Deleted.' },
    data: deleted,
    errors: ['not_found'],
  },
  revealWebhookSecret: {
    ...common,
    method: 'GET',
    path: '/manage/webhooks/:id/secret',
    summary: 'Show the secret by which deliveries are signed.',
    params: idParams,
    responses: { 200: 'The secret.' },
    data: webhookSecret,
    errors: ['not_found', 'not_ready'],
  },
  rotateWebhookSecret: {
    ...common,
    method: 'POST',
    path: '/manage/webhooks/:id/rotate',
    summary: 'Replace the secret. For 24 hours deliveries are signed with both.',
    params: idParams,
    responses: { 201: 'The new secret.' },
    status: 201,
    data: webhookSecret,
    errors: ['not_found'],
  },
  testWebhook: {
    ...common,
    method: 'POST',
    path: '/manage/webhooks/:id/test',
    summary: 'Send an event of type `webhook.test`.',
    params: idParams,
    responses: { 202: 'It will be delivered.' },
    status: 202,
    data: delivery,
    errors: ['not_found', 'not_ready'],
  },
  listDeliveries: {
    ...common,
    method: 'GET',
    path: '/manage/webhooks/:id/deliveries',
    summary: 'List the deliveries of the last seven days, the newest event first.',
    params: idParams,
    query: deliveriesQuery,
    responses: { 200: 'The deliveries of this page.' },
    data: z.array(delivery),
    meta: pageMeta,
    errors: ['not_found'],
  },
  redeliver: {
    ...common,
    method: 'POST',
    path: '/manage/webhooks/:id/redeliver',
    summary: 'Send one event again, all whose delivery failed, or all that wait for another attempt.',
    params: idParams,
    body: redeliverBody,
    responses: { 202: 'They are sent as soon as there is room, and begin their attempts again.' },
    status: 202,
    data: z
      .object({ redelivered: z.int().min(0).describe('Deliveries that begin again.') })
      .meta({ examples: [{ redelivered: 1 }] }),
    errors: ['not_found', 'not_ready'],
  },
} as const satisfies Record<string, Operation>;

import type { Generated } from 'kysely';
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';

/** Webhooks and their deliveries. */
export type WebhookTables = {
  /** Where events of a workspace are sent; see `../events/webhooks.ts`. */
  webhooks: {
    workspace_id: string;
    id: string;
    url: string;
    description: string;
    /** Types of events, with a space between two. */
    types: string;
    /** The encrypted secret, and that of before the last rotation, which counts until `previous_until`. */
    sealed: Uint8Array;
    previous_sealed: Uint8Array | null;
    previous_until: string | null;
    /** Null: it is enabled. */
    disabled_at: string | null;
    disabled_reason: Webhook['disabled_reason'];
    /** The first failure since the last success. */
    failing_since: string | null;
    /** Events that were not queued, because too many deliveries waited. */
    missed: Generated<number>;
    missed_since: string | null;
    /** The person that created it in the dashboard. */
    created_by: string | null;
    created_at: string;
  };
  /** Events on their way to a webhook, queued by a trigger; see `../events/webhook-deliveries.ts`. */
  webhook_deliveries: {
    workspace_id: string;
    webhook_id: string;
    event_id: string;
    type: WebhookDelivery['type'];
    /** What is said of the event, as JSON. */
    data: string;
    status: WebhookDelivery['status'];
    /** Attempts that were begun. */
    attempts: Generated<number>;
    /** Null: it is settled. While an attempt is under way, when its process counts as dead. */
    next_attempt_at: string | null;
    last_attempt_at: string | null;
    /** Of the last attempt: null where no response came. */
    response_status: number | null;
    response_body: string | null;
    duration_ms: number | null;
    error: string | null;
    /** When the event happened. */
    created_at: string;
  };
};

import type { Generated } from 'kysely';

/** What the service keeps of itself and of requests. */
export type ServiceTables = {
  /** One row for each start of the service; see `../media/timelines.ts`. */
  timelines: {
    number: Generated<number>;
    /** Random. */
    id: string;
    /** The first sequence of `chunk_vectors` that can be on it. */
    first_sequence: number;
    /** The first sequence of `item_changes` that can be on it. */
    first_change: number;
  };
  service_settings: { name: string; value: string };
  /** All embedders that have been used. `reference` is an `EmbedderReference` as JSON. */
  embedders: { id: string; reference: string };
  /** Responses to requests with an `Idempotency-Key`. */
  idempotency_keys: {
    workspace_id: string;
    key: string;
    operation: string;
    /** Of the request's content; null until it has arrived. */
    fingerprint: string | null;
    /** Status, headers and body as JSON; null while the first request is in progress. */
    response: string | null;
    created_at: string;
  };
};

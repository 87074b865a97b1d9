import { type ColumnTypes, foreignKey } from './column-types.ts';

/**
 * Webhooks and their deliveries (`server/catalog/events/webhooks.ts`). A trigger queues each event for the webhooks that want it, in the transaction
 * that records it: no event can be recorded and not queued, and it costs no statement.
 */

/** Deliveries of a webhook that may wait. */
const maxWaiting = 10_000;

/** Whether a webhook takes the event `new`. */
const takes = (find: (text: string, part: string) => string) =>
  `webhooks.workspace_id = new.workspace_id and webhooks.disabled_at is null and ${find(`' ' || webhooks.types || ' '`, `' ' || new.type || ' '`)} > 0`;

/** How many deliveries of a webhook wait, counted up to the limit. */
const waiting = `(select count(*) from (select 1 from webhook_deliveries d where d.workspace_id = new.workspace_id
  and d.webhook_id = webhooks.id and d.status = 'pending' limit ${maxWaiting}) counted)`;

const queueEvent = (find: (text: string, part: string) => string) => `
  update webhooks set missed = webhooks.missed + 1, missed_since = coalesce(webhooks.missed_since, new.created_at)
    where ${takes(find)} and ${waiting} >= ${maxWaiting};
  insert into webhook_deliveries (workspace_id, webhook_id, event_id, type, data, created_at, status, next_attempt_at)
    select new.workspace_id, webhooks.id, new.id, new.type, new.data, new.created_at, 'pending', new.created_at
    from webhooks where ${takes(find)} and ${waiting} < ${maxWaiting};`;

const tables = ({ text, integer, bytes, ofWorkspace }: ColumnTypes) => [
  `create table webhooks (
    ${ofWorkspace}, id ${text} not null, url ${text} not null, description ${text} not null, types ${text} not null,
    sealed ${bytes} not null, previous_sealed ${bytes}, previous_until ${text},
    disabled_at ${text}, disabled_reason ${text}, failing_since ${text},
    missed ${integer} not null default 0, missed_since ${text}, created_at ${text} not null,
    primary key (workspace_id, id)
  )`,
  `create table webhook_deliveries (
    workspace_id ${text} not null, webhook_id ${text} not null, event_id ${text} not null,
    type ${text} not null, data ${text} not null,
    status ${text} not null check (status in ('pending', 'delivered', 'failed')),
    attempts ${integer} not null default 0, next_attempt_at ${text}, last_attempt_at ${text},
    response_status ${integer}, response_body ${text}, duration_ms ${integer}, error ${text}, created_at ${text} not null,
    primary key (workspace_id, webhook_id, event_id),
    ${foreignKey('webhook_id', 'webhooks')}
  )`,
  `create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, next_attempt_at)
    where status = 'pending'`,
  `create index webhook_deliveries_by_age on webhook_deliveries (created_at)`,
];

const inSqlite = [
  `create trigger events_to_webhooks after insert on events
    when exists (select 1 from webhooks where workspace_id = new.workspace_id)
    begin ${queueEvent((whole, part) => `instr(${whole}, ${part})`)} end`,
];

const inPostgres = [
  `create function queue_event() returns trigger language plpgsql as $$ begin
    if exists (select 1 from webhooks where workspace_id = new.workspace_id) then
      ${queueEvent((whole, part) => `strpos(${whole}, ${part})`)}
    end if;
    return null; end $$`,
  `create trigger events_to_webhooks after insert on events for each row execute function queue_event()`,
];

export const webhooks = (types: ColumnTypes): string[] => [...tables(types), ...types.pick(inSqlite, inPostgres)];

import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { ofWorkspace, text } from '../postgres/schema/column-types.ts';

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

const tables = (textType: string, bytes: string, workspace: string) => [
  `create table if not exists webhooks (
    ${workspace}, id ${textType} not null, url ${textType} not null, description ${textType} not null, types ${textType} not null,
    sealed ${bytes} not null, previous_sealed ${bytes}, previous_until ${textType},
    disabled_at ${textType}, disabled_reason ${textType}, failing_since ${textType},
    missed bigint not null default 0, missed_since ${textType}, created_at ${textType} not null,
    primary key (workspace_id, id)
  )`,
  `create table if not exists webhook_deliveries (
    workspace_id ${textType} not null, webhook_id ${textType} not null, event_id ${textType} not null,
    type ${textType} not null, data ${textType} not null,
    status ${textType} not null check (status in ('pending', 'delivered', 'failed')),
    attempts bigint not null default 0, next_attempt_at ${textType}, last_attempt_at ${textType},
    response_status bigint, response_body ${textType}, duration_ms bigint, error ${textType}, created_at ${textType} not null,
    primary key (workspace_id, webhook_id, event_id),
    foreign key (workspace_id, webhook_id) references webhooks (workspace_id, id) on delete cascade
  )`,
  `create index if not exists webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, next_attempt_at)
    where status = 'pending'`,
  `create index if not exists webhook_deliveries_by_age on webhook_deliveries (created_at)`,
];

const sqliteStatements = [
  ...tables('text', 'blob', 'workspace_id text not null references workspaces (id) on delete cascade').map(
    (statement) => statement.replaceAll('bigint', 'integer'),
  ),
  `create trigger if not exists events_to_webhooks after insert on events
    when exists (select 1 from webhooks where workspace_id = new.workspace_id)
    begin ${queueEvent((whole, part) => `instr(${whole}, ${part})`)} end`,
];

const postgresStatements = [
  ...tables(text, 'bytea', ofWorkspace),
  `create function queue_event() returns trigger language plpgsql as $$ begin
    if exists (select 1 from webhooks where workspace_id = new.workspace_id) then
      ${queueEvent((whole, part) => `strpos(${whole}, ${part})`)}
    end if;
    return null; end $$`,
  `create trigger events_to_webhooks after insert on events for each row execute function queue_event()`,
];

async function upSqlite(db: Kysely<unknown>): Promise<void> {
  for (const statement of sqliteStatements) await sql.raw(statement).execute(db);
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  for (const statement of postgresStatements) await db.executeQuery(CompiledQuery.raw(statement));
}

export const webhooks: { sqlite: Migration; postgres: Migration } = {
  sqlite: { up: upSqlite },
  postgres: { up: upPostgres },
};

import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { afterRows } from '../postgres/schema/after-rows.ts';
import { ofWorkspace, text } from '../postgres/schema/column-types.ts';

/**
 * The log of events (`server/catalog/events/events.ts`). Triggers write what happens to items, in the transaction of the change: no writer can forget
 * it, be it a worker, a command or one that is written later, what is rolled back leaves none, and it costs no statement. Progress is
 * noted for each stage and each tenth, and leaves the log when its item is settled or gone.
 */

/** An item as an event has it, as JSON. @param json makes an object of keys and values. @param part keeps a value that is JSON itself */
const itemAs = (row: 'new' | 'old', json: string, part: (value: string) => string) => `${json}('media', ${json}(
  'id', ${row}.id, 'filename', ${row}.filename, 'type', ${row}.type, 'status', ${row}.status,
  'progress', ${part(`case when ${row}.stage is not null then ${json}('stage', ${row}.stage, 'fraction', coalesce(${row}.fraction, 0)) end`)},
  'error', ${part(`case when ${row}.error_code is not null then ${json}('code', ${row}.error_code, 'message', coalesce(${row}.error_message, '')) end`)},
  'creator_id', ${row}.creator_id, 'category_id', ${row}.category_id, 'created_at', ${row}.created_at))`;

const add = (row: 'new' | 'old', type: string, data: string) =>
  `insert into events (workspace_id, type, media_id, data) values (${row}.workspace_id, ${type}, ${row}.id, ${data});`;

const forgetProgress = (row: 'new' | 'old') =>
  `delete from events where workspace_id = ${row}.workspace_id and media_id = ${row}.id and type = 'media.progress';`;

const indexes = [
  `create index events_in_order on events (workspace_id, number)`,
  `create index events_by_age on events (created_at)`,
  `create index events_of_progress on events (workspace_id, media_id) where type = 'media.progress'`,
];

const isUnderWay = `new.status in ('pending', 'indexing')`;
// What is indexed again gets other renditions.
const whenSettled = (differs: string) =>
  `new.status = 'complete' and (old.status <> 'complete' or old.renditions_token ${differs} new.renditions_token)
    or new.status = 'error' and old.status <> 'error'`;
// Citus writes `case new.status when` as something that PostgreSQL does not take.
const settledType = `case when new.status = 'complete' then 'media.completed' else 'media.failed' end`;

/** Random but for the time in front, as UUIDs of version 7 are (RFC 9562, 5.7). */
const sqliteId = `printf('%s-%s-7%s-%s%s-%s',
  substr(printf('%012x', cast(round(unixepoch('subsec') * 1000) as integer)), 1, 8),
  substr(printf('%012x', cast(round(unixepoch('subsec') * 1000) as integer)), 9),
  substr(lower(hex(randomblob(2))), 2), substr('89ab', 1 + (random() & 3), 1), substr(lower(hex(randomblob(2))), 2), lower(hex(randomblob(6))))`;

const sqliteItem = (row: 'new' | 'old') => itemAs(row, 'json_object', (value) => `json(${value})`);

const inSqlite = [
  `create table if not exists events (
    number integer primary key autoincrement, workspace_id text not null references workspaces (id) on delete cascade,
    id text not null default (${sqliteId}), type text not null, media_id text, data text not null,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), unique (workspace_id, id)
  )`,
  ...indexes.map((statement) => statement.replace('create index', 'create index if not exists')),
  `create trigger if not exists events_new_item after insert on media_items begin
    ${add('new', `'media.created'`, sqliteItem('new'))} end`,
  `create trigger if not exists events_progress after update of status, stage, fraction on media_items
    when ${isUnderWay} and (old.status, old.stage, cast(old.fraction * 10 as integer))
      is not (new.status, new.stage, cast(new.fraction * 10 as integer))
    begin ${add('new', `'media.progress'`, sqliteItem('new'))} end`,
  `create trigger if not exists events_settled after update of status, renditions_token on media_items when ${whenSettled('is not')}
    begin ${forgetProgress('new')} ${add('new', settledType, sqliteItem('new'))} end`,
  // Nobody asks for the events of a workspace that is being deleted.
  `create trigger if not exists events_deleted_item after delete on media_items
    when exists (select 1 from workspaces where id = old.workspace_id)
    begin ${forgetProgress('old')} ${add('old', `'media.deleted'`, sqliteItem('old'))} end`,
];

const postgresItem = (row: 'new' | 'old') => `${itemAs(row, 'json_build_object', (value) => value)}::text`;

const trigger = (name: string, event: string, when: string, body: string) => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
  `create trigger ${name} after ${event} on media_items for each row ${when && `when (${when})`} execute function ${name}()`,
];

const inPostgres = [
  `create function new_event_id() returns text language sql volatile as $$
    select substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || substr(random, 14, 3) || '-' || substr(random, 17, 4) || '-' || substr(random, 21)
    from (select lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') as time,
      replace(gen_random_uuid()::text, '-', '') as random) parts $$`,
  `create table events (
    ${ofWorkspace}, number bigint not null default 0, id ${text} not null default new_event_id(), type ${text} not null,
    media_id ${text}, data ${text} not null,
    created_at ${text} not null default to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    primary key (workspace_id, id)
  )`,
  ...indexes,
  // At the commit, by the counter of `item_changes`, whose row stays locked until it is over: who has read up to a number misses none before
  // it. One counter for both, so that two transactions never wait for each other.
  `create function number_event() returns trigger language plpgsql as $$
    declare next bigint;
    begin
      perform 1 from events where workspace_id = new.workspace_id and id = new.id;
      if not found then return null; end if;
      insert into workspace_changes as counter (workspace_id, last) values (new.workspace_id, 1)
        on conflict (workspace_id) do update set last = counter.last + 1 returning last into next;
      update events set number = next where workspace_id = new.workspace_id and id = new.id;
      return null;
    end $$`,
  `create constraint trigger number_events after insert on events deferrable initially deferred
    for each row execute function number_event()`,
  ...trigger('note_new_item', 'insert', '', add('new', `'media.created'`, postgresItem('new'))),
  ...trigger(
    'note_progress',
    'update of status, stage, fraction',
    `${isUnderWay} and (old.status, old.stage, floor(old.fraction * 10)) is distinct from (new.status, new.stage, floor(new.fraction * 10))`,
    add('new', `'media.progress'`, postgresItem('new')),
  ),
  ...trigger(
    'note_settled_item',
    'update of status, renditions_token',
    whenSettled('is distinct from'),
    `${forgetProgress('new')} ${add('new', settledType, postgresItem('new'))}`,
  ),
  ...trigger(
    'note_removed_item',
    'delete',
    '',
    `if exists (select 1 from workspaces where id = old.workspace_id) then
      ${forgetProgress('old')} ${add('old', `'media.deleted'`, postgresItem('old'))} end if;`,
  ),
  `create function notify_events() returns trigger language plpgsql as $$
    declare workspace text;
    begin
      for workspace in select distinct workspace_id from changed loop
        perform pg_notify('media_search', 'events ' || workspace);
      end loop;
      return null;
    end $$`,
  ...afterRows('events_notify', 'events', 'notify_events').slice(0, 1),
];

async function upSqlite(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const statement of inSqlite) await sql.raw(statement).execute(transaction);
  });
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  for (const statement of inPostgres) await db.executeQuery(CompiledQuery.raw(statement));
}

export const events: { sqlite: Migration; postgres: Migration } = {
  sqlite: { up: upSqlite },
  postgres: { up: upPostgres },
};

import type { Selectable } from 'kysely';
import type { EventData } from '../../../contract/events.ts';
import type { MediaTables } from '../tables/media.ts';
import { afterRows } from './after-rows.ts';
import type { ColumnTypes } from './column-types.ts';

/**
 * The log of events (`server/catalog/events/events.ts`). Triggers write what happens to items, in the transaction of the change: no writer can forget
 * it, be it a worker, a command or one that is written later, what is rolled back leaves none, and it costs no statement. Progress is
 * noted for each stage and each tenth, and leaves the log when its item is settled or gone.
 */

type Item = Selectable<MediaTables['media_items']>;
type ItemOfEvent = EventData['media.created']['media'];

/** The columns of an item whose values a field of an event can have. */
type ColumnFor<Value> = { [Column in keyof Item]: Item[Column] extends Value ? Column : never }[keyof Item];

/** Where a field comes from: a column, or columns that make an object, which is null while the column `presentWith` is. */
type SourceOf<Value> = [NonNullable<Value>] extends [object]
  ? {
      presentWith: keyof Item;
      fields: {
        [Field in keyof NonNullable<Value>]: {
          column: ColumnFor<NonNullable<Value>[Field] | null>;
          /** In place of null. */
          otherwise?: NonNullable<Value>[Field];
        };
      };
    }
  : ColumnFor<Value>;

/**
 * An item as an event has it. The type is that of the contract, so a field that one of the two lacks does not compile. A change needs a migration
 * too, which makes the triggers again.
 */
const itemOfEvent: { [Field in keyof ItemOfEvent]: SourceOf<ItemOfEvent[Field]> } = {
  id: 'id',
  filename: 'filename',
  type: 'type',
  status: 'status',
  progress: {
    presentWith: 'stage',
    fields: { stage: { column: 'stage' }, fraction: { column: 'fraction', otherwise: 0 } },
  },
  error: {
    presentWith: 'error_code',
    fields: { code: { column: 'error_code' }, message: { column: 'error_message', otherwise: '' } },
  },
  creator_id: 'creator_id',
  category_id: 'category_id',
  created_at: 'created_at',
};

type Field = { column: string; otherwise?: string | number };
type Source = string | { presentWith: string; fields: Record<string, Field> };

/** The data of an event about an item, as an expression that makes JSON. */
function itemAs(row: 'new' | 'old', { pick }: ColumnTypes): string {
  const object = (pairs: [string, string][]) =>
    `${pick('json_object', 'json_build_object')}(${pairs.map(([key, value]) => `'${key}', ${value}`).join(', ')})`;
  const read = ({ column, otherwise }: Field) =>
    otherwise === undefined
      ? `${row}.${column}`
      : `coalesce(${row}.${column}, ${typeof otherwise === 'string' ? `'${otherwise}'` : otherwise})`;
  const write = (source: Source): string => {
    if (typeof source === 'string') return `${row}.${source}`;
    const fields = Object.entries(source.fields).map(([key, field]): [string, string] => [key, read(field)]);
    const value = `case when ${row}.${source.presentWith} is not null then ${object(fields)} end`;
    // SQLite would quote what is JSON itself.
    return pick(`json(${value})`, value);
  };
  const pairs = Object.entries<Source>(itemOfEvent).map(([key, source]): [string, string] => [key, write(source)]);
  return object([['media', object(pairs)]]) + pick('', '::text');
}

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

const inSqlite = (types: ColumnTypes) => [
  `create table events (
    number integer primary key autoincrement, workspace_id text not null references workspaces (id) on delete cascade,
    id text not null default (${sqliteId}), type text not null, media_id text, data text not null,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), unique (workspace_id, id)
  )`,
  ...indexes,
  `create trigger events_new_item after insert on media_items begin
    ${add('new', `'media.created'`, itemAs('new', types))} end`,
  `create trigger events_progress after update of status, stage, fraction on media_items
    when ${isUnderWay} and (old.status, old.stage, cast(old.fraction * 10 as integer))
      is not (new.status, new.stage, cast(new.fraction * 10 as integer))
    begin ${add('new', `'media.progress'`, itemAs('new', types))} end`,
  `create trigger events_settled after update of status, renditions_token on media_items when ${whenSettled('is not')}
    begin ${forgetProgress('new')} ${add('new', settledType, itemAs('new', types))} end`,
  // A workspace that is being deleted records no more events.
  `create trigger events_deleted_item after delete on media_items
    when exists (select 1 from workspaces where id = old.workspace_id)
    begin ${forgetProgress('old')} ${add('old', `'media.deleted'`, itemAs('old', types))} end`,
];

const trigger = (name: string, event: string, when: string, body: string) => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
  `create trigger ${name} after ${event} on media_items for each row ${when && `when (${when})`} execute function ${name}()`,
];

const inPostgres = (types: ColumnTypes) => [
  `create function new_event_id() returns text language sql volatile as $$
    select substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || substr(random, 14, 3) || '-' || substr(random, 17, 4) || '-' || substr(random, 21)
    from (select lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') as time,
      replace(gen_random_uuid()::text, '-', '') as random) parts $$`,
  `create table events (
    ${types.ofWorkspace}, number bigint not null default 0, id ${types.text} not null default new_event_id(), type ${types.text} not null,
    media_id ${types.text}, data ${types.text} not null,
    created_at ${types.text} not null default to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
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
  ...trigger('note_new_item', 'insert', '', add('new', `'media.created'`, itemAs('new', types))),
  ...trigger(
    'note_progress',
    'update of status, stage, fraction',
    `${isUnderWay} and (old.status, old.stage, floor(old.fraction * 10)) is distinct from (new.status, new.stage, floor(new.fraction * 10))`,
    add('new', `'media.progress'`, itemAs('new', types)),
  ),
  ...trigger(
    'note_settled_item',
    'update of status, renditions_token',
    whenSettled('is distinct from'),
    `${forgetProgress('new')} ${add('new', settledType, itemAs('new', types))}`,
  ),
  ...trigger(
    'note_removed_item',
    'delete',
    '',
    `if exists (select 1 from workspaces where id = old.workspace_id) then
      ${forgetProgress('old')} ${add('old', `'media.deleted'`, itemAs('old', types))} end if;`,
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

export const events = (types: ColumnTypes): string[] => types.pick(inSqlite, inPostgres)(types);

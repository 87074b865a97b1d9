import { afterRows } from './after-rows.ts';
import type { ColumnTypes } from './column-types.ts';

/** A trigger that runs after a statement, for each row. */
const after = (name: string, event: string, table: string, procedure: string, when = '') =>
  `create trigger ${name} after ${event} on ${table} for each row ${when && `when (${when})`} execute function ${procedure}()`;

const trigger = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`;

/** Columns of an item that searches depend on. */
const searched =
  'status, filename, type, creator_id, category_id, tags, indexed_at, taken_at, taken_zone, trashed_at'.split(', ');

const all = (row: 'old' | 'new') => `(${searched.map((column) => `${row}.${column}`).join(', ')})`;

/**
 * The record of changes. A number that is taken from a sequence may be committed after a larger one, and who follows the changes would miss
 * it. So the rows are marked first, one write for an item in a transaction, and get their numbers at the commit, from a counter of the
 * workspace whose row stays locked until then: numbers of a workspace become visible in their order.
 */
const changeTables = ({ text }: ColumnTypes) => [
  `create table workspace_changes (workspace_id ${text} primary key, last bigint not null)`,
  `create table item_changes (
    workspace_id ${text} not null, media_id ${text} not null, sequence bigint not null default 0, xid xid8 not null,
    primary key (workspace_id, media_id)
  )`,
  `create index item_changes_in_order on item_changes (workspace_id, sequence)`,
];

const changes = [
  `create function note_change(workspace text, media text) returns void language sql as $$
    insert into item_changes as noted (workspace_id, media_id, xid) values (workspace, media, pg_current_xact_id())
    on conflict (workspace_id, media_id) do update set xid = excluded.xid where noted.xid <> excluded.xid $$`,
  `create function number_change() returns trigger language plpgsql as $$
    declare next bigint;
    begin
      perform 1 from item_changes where workspace_id = new.workspace_id and media_id = new.media_id;
      -- The workspace was deleted meanwhile.
      if not found then return null; end if;
      insert into workspace_changes as counter (workspace_id, last) values (new.workspace_id, 1)
        on conflict (workspace_id) do update set last = counter.last + 1 returning last into next;
      update item_changes set sequence = next where workspace_id = new.workspace_id and media_id = new.media_id;
      return null;
    end $$`,
  `create constraint trigger number_changes after insert or update of xid on item_changes
    deferrable initially deferred for each row execute function number_change()`,
  trigger('note_item', 'perform note_change(new.workspace_id, new.id);'),
  trigger(
    'note_deleted_item',
    `if exists (select 1 from workspaces where id = old.workspace_id) then
       perform note_change(old.workspace_id, old.id); end if;`,
  ),
  after('item_changes_new_item', 'insert', 'media_items', 'note_item'),
  after(
    'item_changes_item',
    `update of ${searched.join(', ')}`,
    'media_items',
    'note_item',
    `${all('old')} is distinct from ${all('new')}`,
  ),
  after('item_changes_deleted_item', 'delete', 'media_items', 'note_deleted_item'),
  trigger(
    'forget_changes',
    `delete from item_changes where workspace_id = old.id; delete from workspace_changes where workspace_id = old.id;`,
  ),
  after('item_changes_deleted_workspace', 'delete', 'workspaces', 'forget_changes'),
  // Of an item that is being deleted nothing more is noted.
  `create function note_present(workspace text, media text) returns void language plpgsql as $$ begin
    if exists (select 1 from media_items where workspace_id = workspace and id = media) then
      perform note_change(workspace, media);
    end if;
  end $$`,
  // What names its item. In one order, so that two statements never wait for each other.
  `create function note_members() returns trigger language plpgsql as $$
    declare member record;
    begin
      for member in select distinct workspace_id, media_id from changed order by 1, 2 loop
        perform note_present(member.workspace_id, member.media_id);
      end loop;
      return null;
    end $$`,
  ...['collection_items', 'item_tags', 'chunks'].flatMap((table) =>
    afterRows(`item_changes_${table}`, table, 'note_members'),
  ),
  trigger('note_member', 'perform note_present(new.workspace_id, new.media_id);'),
  after('item_changes_chunk', 'update of start_time, end_time', 'chunks', 'note_member'),
  // Lines that no chunk is found by are none of an index's.
  trigger(
    'note_text',
    `if exists (select 1 from chunk_segments where workspace_id = new.workspace_id and segment_number = new.number) then
       perform note_change(new.workspace_id, new.media_id); end if;`,
  ),
  after(
    'item_changes_text',
    'update of source, language, start_time, end_time, text, box',
    'text_segments',
    'note_text',
  ),
  // What belongs to a chunk. The table of changed rows is read alone: Citus joins it with nothing.
  `create function note_parts() returns trigger language plpgsql as $$
    declare parts record; media text;
    begin
      for parts in select workspace_id, array_agg(chunk_number) as numbers from changed group by workspace_id order by 1 loop
        for media in select distinct media_id from chunks
          where workspace_id = parts.workspace_id and number = any(parts.numbers) order by 1
        loop
          perform note_present(parts.workspace_id, media);
        end loop;
      end loop;
      return null;
    end $$`,
  ...afterRows('item_changes_vectors', 'chunk_vectors', 'note_parts'),
  ...afterRows('item_changes_text_links', 'chunk_segments', 'note_parts'),
];

const added = (count: 1 | -1, bytes: string) =>
  `${count}, ${count} * ${bytes}, ${count} * round(coalesce(item.duration, 0) * 1000000)::bigint, ${count} * item.chunk_count`;

const addTo = (table: string, more: '' | ', moves', first: '' | ', 1', next: string, added: string) => `
  insert into ${table} as totals (workspace_id, status, type, items, bytes, microseconds, chunks${more})
  values (item.workspace_id, item.status, item.type, ${added}${first})
  on conflict (workspace_id, status, type) do update set items = totals.items + excluded.items,
    bytes = totals.bytes + excluded.bytes, microseconds = totals.microseconds + excluded.microseconds,
    chunks = totals.chunks + excluded.chunks${next};`;

/**
 * A function that counts an item, a record: a table that is distributed has a row type of its own for each part.
 * @param bytes the bytes of an item that count
 */
export const countItem = (name: string, sign: 1 | -1, bytes = 'item.size') => `
  create function ${name}(item record) returns void language plpgsql as $$ begin
    ${addTo('media_totals', '', '', '', added(sign, bytes))}
    if item.trashed_at is not null then
      ${addTo('trash_totals', ', moves', ', 1', ', moves = totals.moves + 1', added(sign, bytes))}
    end if;
  end $$`;

/** The totals of a workspace. A change from one row to another writes them in the order of their keys, so that two changes never wait for each other. */
const totals = [
  countItem('add_to_totals', 1),
  countItem('take_from_totals', -1),
  trigger(
    'count_item',
    `if tg_op = 'INSERT' then perform add_to_totals(new);
     elsif tg_op = 'DELETE' then
       if exists (select 1 from workspaces where id = old.workspace_id) then perform take_from_totals(old); end if;
     elsif (old.status, old.type) < (new.status, new.type) then
       perform take_from_totals(old); perform add_to_totals(new);
     else
       perform add_to_totals(new); perform take_from_totals(old);
     end if;`,
  ),
  after('media_totals_items', 'insert or delete', 'media_items', 'count_item'),
  after(
    'media_totals_update',
    'update of status, type, size, duration, chunk_count, trashed_at',
    'media_items',
    'count_item',
    `(old.status, old.type, old.size, old.duration, old.chunk_count, old.trashed_at)
      is distinct from (new.status, new.type, new.size, new.duration, new.chunk_count, new.trashed_at)`,
  ),
];

export const postgresTriggers = (types: ColumnTypes): string[] => [...changeTables(types), ...changes, ...totals];

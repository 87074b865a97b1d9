import { afterRows } from './after-rows.ts';
import type { ColumnTypes } from './column-types.ts';

/**
 * Notes that the texts of an item changed. A note that is there already is locked: who indexes the item waits until this change can be seen. Of a
 * workspace that is being deleted nothing more is noted.
 */
const noteTextsOf = `create function note_texts_of(workspace text, media text) returns void language plpgsql as $$ begin
  if exists (select 1 from workspaces where id = workspace) then
    insert into text_changes (workspace_id, media_id) values (workspace, media)
      on conflict (workspace_id, media_id) do update set media_id = excluded.media_id where false;
  end if;
end $$`;

/** A function of a trigger. */
const procedure = (name: string, declared: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ declare ${declared} begin ${body} return null; end $$`;

/** For each row. */
const after = (name: string, event: string, table: string, called: string, when = '') =>
  `create trigger ${name} after ${event} on ${table} for each row ${when} execute function ${called}()`;

const named = ['filename', 'tags', 'trashed_at'];
const all = (row: 'old' | 'new') => `(${named.map((column) => `${row}.${column}`).join(', ')})`;

/**
 * The index of texts: postings of each term in blocks of chunk numbers (`posting-block.ts`), the terms of a workspace, what is indexed of each item,
 * and totals. Triggers note the items whose texts changed, and the transaction that changed them writes their postings at its end.
 */
export const textIndex = ({ text, ofWorkspace }: ColumnTypes): string[] => [
  // `stem` is null where the term is its own.
  `create table text_terms (${ofWorkspace}, term ${text} not null, stem ${text}, primary key (workspace_id, term))`,
  `create index text_terms_of_stem on text_terms (workspace_id, stem) where stem is not null`,
  `create table text_postings (
    ${ofWorkspace}, term ${text} not null, block bigint not null, held integer not null, data bytea not null,
    primary key (workspace_id, term, block)
  ) with (fillfactor = 80)`,
  // In the row itself: a block has 6 KB at most, and is smaller when it is compressed.
  `alter table text_postings alter column data set storage main`,
  `create table text_items (
    ${ofWorkspace}, media_id ${text} not null, chunks bigint[] not null, terms text[] not null, length bigint not null,
    primary key (workspace_id, media_id)
  )`,
  `create table text_totals (${ofWorkspace}, documents bigint not null, length bigint not null, primary key (workspace_id))`,
  `create table text_changes (${ofWorkspace}, media_id ${text} not null, primary key (workspace_id, media_id))`,
  noteTextsOf,
  procedure('note_texts', '', 'perform note_texts_of(new.workspace_id, new.media_id);'),
  procedure('note_texts_of_item', '', 'perform note_texts_of(old.workspace_id, old.id);'),
  procedure(
    'note_texts_of_chunks',
    'item record;',
    `for item in select distinct workspace_id, media_id from changed order by 1, 2 loop
       perform note_texts_of(item.workspace_id, item.media_id);
     end loop;`,
  ),
  procedure(
    'note_texts_of_links',
    'links record; media text;',
    `for links in select workspace_id, array_agg(distinct chunk_number) as chunks from changed group by workspace_id order by 1 loop
       for media in select distinct media_id from chunks
         where workspace_id = links.workspace_id and number = any(links.chunks) order by 1
       loop
         perform note_texts_of(links.workspace_id, media);
       end loop;
     end loop;`,
  ),
  ...afterRows('text_changes_chunks', 'chunks', 'note_texts_of_chunks'),
  ...afterRows('text_changes_links', 'chunk_segments', 'note_texts_of_links'),
  after('text_changes_segment', 'update of source, text', 'text_segments', 'note_texts'),
  after('text_changes_deleted_item', 'delete', 'media_items', 'note_texts_of_item'),
  after(
    'text_changes_item',
    `update of ${named.join(', ')}`,
    'media_items',
    'note_texts_of_item',
    `when (${all('old')} is distinct from ${all('new')})`,
  ),
];

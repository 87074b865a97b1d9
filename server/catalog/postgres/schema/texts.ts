import { ofWorkspace, text } from './column-types.ts';

/**
 * Notes that the texts of an item changed. A note that is there already is locked: who indexes the item waits until this change can be seen. Of a
 * workspace that is being deleted nothing more is noted.
 */
const note = (name: string, media: string) => `create function ${name}() returns trigger language plpgsql as $$
  declare changed record;
  begin
    if tg_op = 'DELETE' then changed := old; else changed := new; end if;
    insert into text_changes (workspace_id, media_id) select changed.workspace_id, found.media from (${media}) found (media)
      where exists (select 1 from workspaces where id = changed.workspace_id)
      on conflict (workspace_id, media_id) do update set media_id = excluded.media_id where false;
    return null;
  end $$`;

const after = (name: string, event: string, table: string, procedure: string, when = '') =>
  `create trigger ${name} after ${event} on ${table} for each row ${when} execute function ${procedure}()`;

const named = ['filename', 'tags', 'trashed_at'];
const all = (row: 'old' | 'new') => `(${named.map((column) => `${row}.${column}`).join(', ')})`;

/**
 * The index of texts: postings of each term in blocks of chunk numbers (`posting-block.ts`), the terms of a workspace, what is indexed of each item,
 * and totals. Triggers note the items whose texts changed, and the transaction that changed them writes their postings at its end.
 */
export const texts = [
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
  note('note_texts', 'select changed.media_id'),
  note('note_texts_of_item', 'select changed.id'),
  note(
    'note_texts_of_chunk',
    'select media_id from chunks where workspace_id = changed.workspace_id and number = changed.chunk_number',
  ),
  after('text_changes_chunk', 'insert or delete', 'chunks', 'note_texts'),
  after('text_changes_link', 'insert or delete', 'chunk_segments', 'note_texts_of_chunk'),
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

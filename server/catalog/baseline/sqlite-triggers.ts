/** Columns of an item that searches depend on. Those of progress and of checks, which are written often, are none. */
const searched = ['status', 'filename', 'type', 'creator_id', 'category_id', 'tags', 'indexed_at'];

const all = (row: 'old' | 'new') => `(${searched.map((column) => `${row}.${column}`).join(', ')})`;

const note = (row: 'old' | 'new', id: 'id' | 'media_id') =>
  `insert into item_changes (workspace_id, media_id) values (${row}.workspace_id, ${row}.${id});`;

/** Whether the item of a row is there: what is deleted with its item needs no record of its own. */
const isPresent = (row: 'old' | 'new') =>
  `exists (select 1 from media_items where workspace_id = ${row}.workspace_id and id = ${row}.media_id)`;

/** A part of a chunk that is deleted with it finds no chunk any more. */
const noteChunk = (row: 'old' | 'new', more = '') => `insert into item_changes (workspace_id, media_id)
  select workspace_id, media_id from chunks where number = ${row}.chunk_number${more};`;

const after = (name: string, event: string, body: string, when = '') =>
  `create trigger item_changes_${name} after ${event} ${when && `when ${when}`} begin ${body} end`;

/** The record of changes, from which search indexes learn what to read. */
const changes = [
  `create table item_changes (
    sequence integer primary key autoincrement, workspace_id text not null, media_id text not null, unique (workspace_id, media_id)
  )`,
  `create index item_changes_in_order on item_changes (workspace_id, sequence)`,
  // Not `insert or replace`: the conflict clause of a statement also applies in the triggers that it fires.
  `create trigger item_changes_once before insert on item_changes begin
    delete from item_changes where workspace_id = new.workspace_id and media_id = new.media_id; end`,
  after('new_item', 'insert on media_items', note('new', 'id')),
  after(
    'item',
    `update of ${searched.join(', ')} on media_items`,
    note('new', 'id'),
    `${all('old')} is not ${all('new')}`,
  ),
  after(
    'taken_at',
    'update of taken_at, taken_zone on media_items',
    note('new', 'id'),
    '(old.taken_at, old.taken_zone) is not (new.taken_at, new.taken_zone)',
  ),
  after('trashed', 'update of trashed_at on media_items', note('new', 'id'), 'old.trashed_at is not new.trashed_at'),
  after('deleted_item', 'delete on media_items', note('old', 'id')),
  // It runs after those of the items, which are deleted with their workspace.
  after('deleted_workspace', 'delete on workspaces', 'delete from item_changes where workspace_id = old.id;'),
  ...['collection_items', 'item_tags'].flatMap((table) => [
    after(`${table}_insert`, `insert on ${table}`, note('new', 'media_id'), isPresent('new')),
    after(`${table}_delete`, `delete on ${table}`, note('old', 'media_id'), isPresent('old')),
  ]),
  after('new_chunk', 'insert on chunks', note('new', 'media_id')),
  after('chunk', 'update of start_time, end_time on chunks', note('new', 'media_id')),
  after('deleted_chunk', 'delete on chunks', note('old', 'media_id'), isPresent('old')),
  after('new_vector', 'insert on chunk_vectors', noteChunk('new')),
  after('deleted_vector', 'delete on chunk_vectors', noteChunk('old')),
  after('new_text', 'insert on chunk_segments', noteChunk('new')),
  after(
    'deleted_text',
    'delete on chunk_segments',
    noteChunk(
      'old',
      ' and exists (select 1 from media_items where workspace_id = chunks.workspace_id and id = chunks.media_id)',
    ),
  ),
  // Lines that no chunk is found by are none of an index's.
  after(
    'text',
    'update of source, language, start_time, end_time, text, box on text_segments',
    note('new', 'media_id'),
    'exists (select 1 from chunk_segments where segment_number = new.number)',
  ),
];

const microseconds = (row: 'old' | 'new') => `cast(round(coalesce(${row}.duration, 0) * 1000000) as integer)`;

/** The totals in a table. What concerns the trash has a condition, and counts moves. @param bytesOf the bytes of an item that count */
export function totals(
  table: string,
  counted: (row: 'old' | 'new') => string | null,
  bytesOf = (row: 'old' | 'new') => `${row}.size`,
): string[] {
  const isTrash = counted('new') !== null;
  const [moves, one, count] = isTrash ? [', moves', ', 1', ', moves = moves + 1'] : ['', '', ''];
  const rows = `new.workspace_id, new.status, new.type, 1, ${bytesOf('new')}, ${microseconds('new')}, new.chunk_count${one}`;
  const add = `insert into ${table} (workspace_id, status, type, items, bytes, microseconds, chunks${moves})
    ${isTrash ? `select ${rows} where ${counted('new')}` : `values (${rows})`}
    on conflict (workspace_id, status, type) do update set items = items + 1, bytes = bytes + excluded.bytes,
    microseconds = microseconds + excluded.microseconds, chunks = chunks + excluded.chunks${count};`;
  // An update, so that deleting a workspace with its items does not add the row again.
  const subtract = `update ${table} set items = items - 1, bytes = bytes - ${bytesOf('old')},
    microseconds = microseconds - ${microseconds('old')}, chunks = chunks - old.chunk_count${count}
    where workspace_id = old.workspace_id and status = old.status and type = old.type${isTrash ? ` and ${counted('old')}` : ''};`;
  const when = (condition: string) => (isTrash ? `when ${condition}` : '');
  return [
    `create trigger ${table}_insert after insert on media_items ${when(`${counted('new')}`)} begin ${add} end`,
    `create trigger ${table}_delete after delete on media_items ${when(`${counted('old')}`)} begin ${subtract} end`,
    // Progress and labels leave the totals as they are, and do not run this.
    `create trigger ${table}_update
      after update of ${isTrash ? 'trashed_at, ' : ''}workspace_id, status, type, size, duration, chunk_count on media_items
      ${when(`${counted('old')} or ${counted('new')}`)} begin ${subtract} ${add} end`,
  ];
}

export const sqliteTriggers = [
  ...changes,
  ...totals('media_totals', () => null),
  ...totals('trash_totals', (row) => `${row}.trashed_at is not null`),
];

import type { ColumnTypes } from './column-types.ts';

/**
 * What is found: chunks, their vectors and texts. SQLite numbers the rows of all workspaces together, so that a number alone is a key;
 * PostgreSQL finds a row by its workspace and its number.
 */
export const chunks = (types: ColumnTypes): string[] => [
  `create table chunks (
    number ${types.identity}, ${types.ofItem}, id ${types.text} not null, position ${types.integer} not null,
    start_time ${types.real} not null, end_time ${types.real} not null, thumbnail_file ${types.text} not null,
    blank ${types.pick('integer', 'smallint')} not null default 0,
    ${types.pick('', 'primary key (workspace_id, number),')} unique (workspace_id, id), unique (workspace_id, media_id, position), ${types.itemKey}
  )`,
  ...types.pick(sqliteVectors, postgresVectors(types)),
  segments(types, 'text_segments', types.identity),
  `create index text_segments_of_item on text_segments (workspace_id, media_id, source, start_time)`,
  segments(types, 'text_drafts', types.pick('integer primary key', types.identity)),
  `create index text_drafts_of_item on text_drafts (workspace_id, media_id, source)`,
  ...types.pick(sqliteLinks, postgresLinks(types)),
  `create table text_extractions (
    ${types.ofItem}, source ${types.text} not null, state ${types.text} not null, position ${types.real} not null default 0,
    language ${types.text}, model ${types.text}, message ${types.text}, updated_at ${types.text} not null,
    again ${types.integer} not null default 0, draft_model ${types.text}, primary key (workspace_id, media_id, source), ${types.itemKey}
  )${types.keyed}`,
  `create index text_extractions_pending on text_extractions (workspace_id, source) where state = 'pending'`,
];

const segments = ({ pick, text, integer, real, ofItem, itemKey }: ColumnTypes, table: string, identity: string) =>
  `create table ${table} (
    number ${identity}, ${ofItem}, source ${text} not null, track ${integer}, language ${text},
    start_time ${real} not null, end_time ${real} not null, text ${text} not null, box ${text},
    confidence ${real}, ${pick('', 'primary key (workspace_id, number),')} ${itemKey}
  )`;

const sqliteVectors = [
  `create table chunk_vectors (
    sequence integer primary key autoincrement, workspace_id text not null,
    chunk_number integer not null references chunks (number) on delete cascade,
    embedder_id text not null, vector blob not null, unique (chunk_number, embedder_id)
  )`,
  `create index chunk_vectors_in_order on chunk_vectors (workspace_id, embedder_id, sequence, chunk_number)`,
  `create table chunk_views (
    chunk_number integer not null, embedder_id text not null, vectors blob not null, workspace_id text not null default '',
    unique (chunk_number, embedder_id),
    foreign key (chunk_number, embedder_id) references chunk_vectors (chunk_number, embedder_id) on delete cascade
  )`,
];

const postgresVectors = ({ text, integer, bytes, identity }: ColumnTypes) => [
  // Each embedder has dimensions of its own, so the column has none.
  `create table chunk_vectors (
    workspace_id ${text} not null, embedder_id ${text} not null, chunk_number ${integer} not null, sequence ${identity},
    vector halfvec not null, primary key (workspace_id, embedder_id, chunk_number),
    foreign key (workspace_id, chunk_number) references chunks on delete cascade
  )`,
  // In the row itself: an exact search reads all of a workspace.
  `alter table chunk_vectors alter column vector set storage main`,
  `create index chunk_vectors_in_order on chunk_vectors (workspace_id, embedder_id, sequence, chunk_number)`,
  `create index chunk_vectors_of_chunk on chunk_vectors (workspace_id, chunk_number)`,
  // The first in this order are a sample that stays the same in all processes; scores are calibrated by it.
  `create index chunk_vectors_sample on chunk_vectors (workspace_id, embedder_id, hashint8extended(chunk_number, 18))`,
  `create table chunk_views (
    workspace_id ${text} not null, embedder_id ${text} not null, chunk_number ${integer} not null, vectors ${bytes} not null,
    primary key (workspace_id, embedder_id, chunk_number),
    foreign key (workspace_id, embedder_id, chunk_number) references chunk_vectors on delete cascade
  )`,
];

/** Which chunks a line of text is found by. */
const sqliteLinks = [
  `create table chunk_segments (
    chunk_number integer not null references chunks (number) on delete cascade,
    segment_number integer not null references text_segments (number) on delete cascade,
    workspace_id text not null default '', primary key (chunk_number, segment_number)
  ) without rowid`,
  `create index chunk_segments_of_segment on chunk_segments (segment_number)`,
];

const postgresLinks = ({ text, integer }: ColumnTypes) => [
  `create table chunk_segments (
    workspace_id ${text} not null, chunk_number ${integer} not null, segment_number ${integer} not null,
    primary key (workspace_id, chunk_number, segment_number),
    foreign key (workspace_id, chunk_number) references chunks on delete cascade,
    foreign key (workspace_id, segment_number) references text_segments on delete cascade
  )`,
  `create index chunk_segments_of_segment on chunk_segments (workspace_id, segment_number)`,
];

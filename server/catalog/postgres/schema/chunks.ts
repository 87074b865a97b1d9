import { identity, ofItem, text } from './column-types.ts';

const segment = `${ofItem}, number ${identity}, source ${text} not null, track bigint, language ${text},
  start_time double precision not null, end_time double precision not null, text ${text} not null, box ${text},
  confidence double precision, primary key (workspace_id, number)`;

/** What is found: chunks, their vectors and texts. */
export const chunks = [
  `create table chunks (
    ${ofItem}, number ${identity}, id ${text} not null, position bigint not null, start_time double precision not null,
    end_time double precision not null, thumbnail_file ${text} not null, blank smallint not null default 0,
    primary key (workspace_id, number), unique (workspace_id, id), unique (workspace_id, media_id, position)
  )`,
  // Each embedder has dimensions of its own, so the column has none.
  `create table chunk_vectors (
    workspace_id ${text} not null, embedder_id ${text} not null, chunk_number bigint not null, sequence ${identity},
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
    workspace_id ${text} not null, embedder_id ${text} not null, chunk_number bigint not null, vectors bytea not null,
    primary key (workspace_id, embedder_id, chunk_number),
    foreign key (workspace_id, embedder_id, chunk_number) references chunk_vectors on delete cascade
  )`,
  `create table text_segments (${segment})`,
  `create index text_segments_of_item on text_segments (workspace_id, media_id, source, start_time)`,
  `create table text_drafts (${segment})`,
  `create index text_drafts_of_item on text_drafts (workspace_id, media_id, source)`,
  `create table chunk_segments (
    workspace_id ${text} not null, chunk_number bigint not null, segment_number bigint not null,
    primary key (workspace_id, chunk_number, segment_number),
    foreign key (workspace_id, chunk_number) references chunks on delete cascade,
    foreign key (workspace_id, segment_number) references text_segments on delete cascade
  )`,
  `create index chunk_segments_of_segment on chunk_segments (workspace_id, segment_number)`,
  `create table text_extractions (
    ${ofItem}, source ${text} not null, state ${text} not null, position double precision not null default 0,
    language ${text}, model ${text}, message ${text}, updated_at ${text} not null, again bigint not null default 0,
    draft_model ${text}, primary key (workspace_id, media_id, source)
  )`,
  `create index text_extractions_pending on text_extractions (workspace_id, source) where state = 'pending'`,
];

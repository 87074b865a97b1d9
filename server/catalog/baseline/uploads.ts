import type { ColumnTypes } from './column-types.ts';

/**
 * Uploads that arrive in parts. No foreign key: with Citus the table is on the coordinator, because it is compared with the clock, and a key to a
 * table elsewhere is none there. Rows of a deleted workspace expire.
 */
export const uploads = ({ text, integer, bytes }: ColumnTypes): string[] => [
  `create table uploads (
    workspace_id ${text} not null, id ${text} not null, item_id ${text} not null, filename ${text} not null,
    length ${integer} not null, received ${integer} not null default 0,
    metadata ${text} not null, labels ${text} not null, sha256 ${text}, hash_state ${bytes}, stored ${text},
    writer ${text}, writer_until ${text}, wanted_by ${text},
    media_id ${text}, duplicate ${integer} not null default 0, error ${text}, ended_at ${text},
    created_at ${text} not null, expires_at ${text} not null, created_by ${text},
    primary key (workspace_id, id)
  )`,
  `create index uploads_by_expiry on uploads (expires_at)`,
  `create index uploads_open on uploads (workspace_id) where ended_at is null`,
];

import type { ColumnTypes } from './column-types.ts';

/** The service, its workspaces and people, and what is listed by name. */
export const accounts = (types: ColumnTypes): string[] => [...service(types), ...people(types), ...labels(types)];

const service = ({ pick, text, integer, real, identity, ofWorkspace }: ColumnTypes) => [
  `create table workspaces (
      id ${text} primary key, name ${text} not null, plan_id ${text} not null, embedder_id ${text}, created_at ${text} not null
    )`,
  `create table timelines (
      number ${pick(identity, `${identity} primary key`)}, id ${text} not null unique, first_sequence ${integer} not null,
      first_change ${integer} not null ${pick('default 1', '')}
    )`,
  `create table service_settings (name ${text} primary key, value ${text} not null)`,
  `create table embedders (id ${text} primary key, reference ${text} not null)`,
  `create table plans (
      id ${text} primary key, name ${text} not null, storage_bytes ${integer}, media_items ${integer},
      indexed_seconds ${real}, searches_per_month ${integer}
    )`,
  `insert into plans (id, name) values ('self-hosted', 'Self-hosted')`,
  `create table idempotency_keys (
      ${ofWorkspace}, key ${text} not null, operation ${text} not null, fingerprint ${text}, response ${text},
      created_at ${text} not null, primary key (workspace_id, key)
    )`,
  `create table usage_days (
      ${ofWorkspace}, date ${text} not null, uploads ${integer} not null default 0, searches ${integer} not null default 0,
      storage_bytes ${integer} not null default 0, primary key (workspace_id, date)
    )`,
];

function people({ pick, text, bytes, ofWorkspace }: ColumnTypes): string[] {
  const ofPerson = `person_id ${text} not null references people (id) on delete cascade`;
  return [
    `create table people (
      id ${text} primary key, name ${text} not null, email ${text} ${pick('', 'unique')}, password_hash ${text}, created_at ${text} not null
    )`,
    ...pick([`create unique index people_email on people (email)`], []),
    `create table memberships (
      ${ofWorkspace}, ${ofPerson}, role ${text} not null, created_at ${text} not null, primary key (workspace_id, person_id)
    )`,
    `create index memberships_person on memberships (person_id)`,
    `create table sessions (
      token_hash ${text} primary key, ${ofWorkspace}, ${ofPerson}, expires_at ${text} not null, created_at ${text}
    )`,
    `create index sessions_person on sessions (person_id)`,
    `create table sign_in_links (
      token_hash ${text} primary key, ${ofWorkspace}, ${ofPerson}, expires_at ${text} not null, used_at ${text}
    )`,
    `create table api_keys (
      ${ofWorkspace}, id ${text} not null, hash ${text} not null unique, sealed ${bytes} not null, ending ${text}, name ${text},
      created_at ${text} not null, revoked_at ${text}, expires_at ${text}, last_used_at ${text}, primary key (workspace_id, id)
    )`,
    `create table invitations (
      ${ofWorkspace}, id ${text} not null, token_hash ${text} not null unique, role ${text} not null,
      invited_by ${text} not null references people (id) on delete cascade,
      created_at ${text} not null, expires_at ${text} not null, primary key (workspace_id, id)
    )`,
  ];
}

function labels({ text, integer, ofWorkspace }: ColumnTypes): string[] {
  /** A name that is unique in its workspace, and its identifier. */
  const named = (table: string, more = '') => `create table ${table} (
    ${ofWorkspace}, id ${text} not null, name ${text} not null, folded_name ${text} not null, created_at ${text} not null,
    ${more} primary key (workspace_id, id), unique (workspace_id, folded_name)
  )`;
  return [
    named('creators'),
    named('categories', `description ${text} not null,`),
    named('collections', `updated_at ${text} not null,`),
    named('tags'),
    named(
      'saved_searches',
      `page ${text} not null, query ${text} not null, notify_since ${text}, new_matches ${integer} not null default 0,`,
    ),
  ];
}

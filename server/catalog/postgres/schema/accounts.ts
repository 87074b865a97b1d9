import { identity, ofWorkspace, text } from './column-types.ts';

/** A name that is unique in its workspace, and its identifier. */
const named = `${ofWorkspace}, id ${text} not null, name ${text} not null, folded_name ${text} not null,
  created_at ${text} not null, primary key (workspace_id, id), unique (workspace_id, folded_name)`;

/** The service, its workspaces and people, and what is listed by name. */
export const accounts = [
  `create table workspaces (
    id ${text} primary key, name ${text} not null, plan_id ${text} not null, embedder_id ${text}, created_at ${text} not null
  )`,
  `create table timelines (
    number ${identity} primary key, id ${text} not null unique, first_sequence bigint not null, first_change bigint not null
  )`,
  `create table service_settings (name ${text} primary key, value ${text} not null)`,
  `create table embedders (id ${text} primary key, reference ${text} not null)`,
  `create table plans (
    id ${text} primary key, name ${text} not null, storage_bytes bigint, media_items bigint,
    indexed_seconds double precision, searches_per_month bigint
  )`,
  `insert into plans (id, name) values ('self-hosted', 'Self-hosted')`,
  `create table people (
    id ${text} primary key, name ${text} not null, email ${text} unique, password_hash ${text}, created_at ${text} not null
  )`,
  `create table memberships (
    ${ofWorkspace}, person_id ${text} not null references people on delete cascade,
    role ${text} not null, created_at ${text} not null, primary key (workspace_id, person_id)
  )`,
  `create index memberships_person on memberships (person_id)`,
  `create table sessions (
    token_hash ${text} primary key, ${ofWorkspace}, person_id ${text} not null references people on delete cascade,
    expires_at ${text} not null, created_at ${text}
  )`,
  `create index sessions_person on sessions (person_id)`,
  `create table sign_in_links (
    token_hash ${text} primary key, ${ofWorkspace}, person_id ${text} not null references people on delete cascade,
    expires_at ${text} not null, used_at ${text}
  )`,
  `create table api_keys (
    ${ofWorkspace}, id ${text} not null, hash ${text} not null unique, sealed bytea not null, ending ${text}, name ${text},
    created_at ${text} not null, revoked_at ${text}, expires_at ${text}, last_used_at ${text}, primary key (workspace_id, id)
  )`,
  `create table invitations (
    ${ofWorkspace}, id ${text} not null, token_hash ${text} not null unique, role ${text} not null,
    invited_by ${text} not null references people on delete cascade,
    created_at ${text} not null, expires_at ${text} not null, primary key (workspace_id, id)
  )`,
  `create table creators (${named})`,
  `create table categories (${named}, description ${text} not null)`,
  `create table collections (${named}, updated_at ${text} not null)`,
  `create table tags (${named})`,
  `create table saved_searches (${named}, page ${text} not null, query ${text} not null)`,
  `create table idempotency_keys (
    ${ofWorkspace}, key ${text} not null, operation ${text} not null, fingerprint ${text}, response ${text},
    created_at ${text} not null, primary key (workspace_id, key)
  )`,
  `create table usage_days (
    ${ofWorkspace}, date ${text} not null, uploads bigint not null default 0, searches bigint not null default 0,
    storage_bytes bigint not null default 0, primary key (workspace_id, date)
  )`,
];

import { type ColumnTypes, foreignKey } from './column-types.ts';

/**
 * Saved searches that tell of new matches. Triggers noted the items that had to be compared with them; since 0043 they are jobs
 * (`../searches/saved-matches.ts`).
 */

/**
 * The workspace is that of `new` everywhere: with Citus a trigger may ask for the rows of one workspace only, which it has to see beforehand.
 * @param item of `media_items`
 */
const request = (item: string, where: string) => `
  insert into match_requests (workspace_id, media_id)
    select new.workspace_id, ${item}.id ${where} exists (
      select 1 from saved_searches where workspace_id = new.workspace_id and notify_since <= ${item}.created_at)
    on conflict (workspace_id, media_id) do update set version = match_requests.version + 1, claimed_until = null;`;

const ofRead = `from media_items item
  where item.workspace_id = new.workspace_id and item.id = new.media_id and item.status = 'complete' and`;

// What comes back from the trash may have been asked for while it was there, without being reported.
const isComplete = `new.status = 'complete' and new.trashed_at is null
  and (old.status <> 'complete' or old.trashed_at is not null)`;
const isRead = `new.state = 'complete' and old.state <> 'complete'`;

const tables = ({ pick, text, integer, ofWorkspace, ofItem, itemKey }: ColumnTypes) => [
  `create table saved_matches (
    ${pick(`workspace_id ${text} not null`, ofWorkspace)}, saved_search_id ${text} not null, media_id ${text} not null, matched_at ${text} not null,
    primary key (workspace_id, saved_search_id, media_id),
    ${foreignKey('saved_search_id', 'saved_searches')}, ${itemKey}
  )`,
  `create table match_requests (
    ${ofItem}, version ${integer} not null default 1, claimed_until ${text}, primary key (workspace_id, media_id), ${itemKey}
  )`,
  `create index saved_searches_notifying on saved_searches (workspace_id, notify_since) where notify_since is not null`,
  `create index saved_matches_of_media on saved_matches (workspace_id, media_id)`,
];

const inSqlite = [
  `create trigger match_requests_complete after update of status, trashed_at on media_items when ${isComplete}
    begin ${request('new', 'where')} end`,
  `create trigger match_requests_read after update of state on text_extractions when ${isRead}
    begin ${request('item', ofRead)} end`,
];

const trigger = (name: string, table: string, columns: string, when: string, body: string) => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
  `create trigger ${name} after update of ${columns} on ${table} for each row when (${when}) execute function ${name}()`,
];

const inPostgres = [
  ...trigger('note_complete_item', 'media_items', 'status, trashed_at', isComplete, request('new', 'where')),
  ...trigger('note_read_texts', 'text_extractions', 'state', isRead, request('item', ofRead)),
];

export const savedMatches = (types: ColumnTypes): string[] => [...tables(types), ...types.pick(inSqlite, inPostgres)];

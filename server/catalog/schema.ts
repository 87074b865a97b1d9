import type { Kysely } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { ChangeTables } from './tables/changes.ts';
import type { ChunkTables } from './tables/chunks.ts';
import type { CommentTables } from './tables/comments.ts';
import type { EventTables } from './tables/events.ts';
import type { JobTables } from './tables/jobs.ts';
import type { LabelTables } from './tables/labels.ts';
import type { MediaTables } from './tables/media.ts';
import type { ReuseTables } from './tables/reuse.ts';
import type { SavedSearchTables } from './tables/saved-searches.ts';
import type { ServiceTables } from './tables/service.ts';
import type { SharedTables } from './tables/shared.ts';
import type { SourceTables } from './tables/sources.ts';
import type { TextTables } from './tables/texts.ts';
import type { UploadTables } from './tables/uploads.ts';
import type { WebhookTables } from './tables/webhooks.ts';

/** Times are RFC 3339 strings in UTC, identifiers UUIDv7 unless said otherwise. */
export type Database = AccountTables &
  ServiceTables &
  LabelTables &
  MediaTables &
  JobTables &
  ChangeTables &
  ChunkTables &
  CommentTables &
  TextTables &
  EventTables &
  ReuseTables &
  SavedSearchTables &
  SourceTables &
  UploadTables &
  WebhookTables &
  SharedTables;

export type Catalog = Kysely<Database>;

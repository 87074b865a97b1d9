import { serveApiKeys } from './api-keys.ts';
import { serveCollections } from './collections.ts';
import { serveComments, serveMentions } from './comments.ts';
import { serveCopies } from './copies.ts';
import { serveEvents } from './events.ts';
import { serveExports } from './exports.ts';
import { serveHighlights } from './highlights.ts';
import { manageLabels, serveLabels } from './labels.ts';
import { serveLostMedia } from './lost-media.ts';
import { serveMediaChanges } from './media-changes.ts';
import { serveMediaTexts } from './media-texts.ts';
import { serveMediaUploads } from './media-uploads.ts';
import { serveMedia } from './media.ts';
import { serveMembers } from './members.ts';
import { servePlaces } from './places.ts';
import { serveSavedSearches } from './saved-searches.ts';
import { serveSearch } from './search.ts';
import { serveSession } from './session.ts';
import { serveShares } from './shares.ts';
import { serveSources } from './sources.ts';
import { serveTags } from './tags.ts';
import { serveTrash } from './trash.ts';
import { serveUploadParts } from './upload-parts.ts';
import { serveUploads } from './uploads.ts';
import { serveWebhooks } from './webhooks.ts';
import { serveWorkspace, manageWorkspace } from './workspace.ts';

/** The endpoints that take an API key. */
export const apiEndpoints = [
  serveCollections,
  serveComments,
  serveCopies,
  serveLabels,
  serveEvents,
  serveExports,
  serveHighlights,
  serveMediaChanges,
  serveMediaTexts,
  serveMediaUploads,
  serveMedia,
  servePlaces,
  serveSavedSearches,
  serveSearch,
  serveShares,
  serveSources,
  serveTags,
  serveTrash,
  serveUploadParts,
  serveUploads,
  serveWorkspace,
];

/** The endpoints that take a session of the dashboard. */
export const dashboardEndpoints = [
  serveApiKeys,
  manageLabels,
  serveLostMedia,
  serveMembers,
  serveMentions,
  serveSession,
  serveWebhooks,
  manageWorkspace,
];

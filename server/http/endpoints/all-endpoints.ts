import {
  serveCreateApiKey,
  serveListApiKeys,
  serveRevealApiKey,
  serveRevokeApiKey,
  serveRotateApiKey,
} from './api-keys.ts';
import {
  serveCreateCategory,
  serveDeleteCategory,
  serveGetCategory,
  serveListCategories,
  serveUpdateCategory,
} from './categories.ts';
import {
  serveChangeCollectionItems,
  serveCreateCollection,
  serveDeleteCollection,
  serveGetCollection,
  serveListCollections,
  serveRenameCollection,
} from './collections.ts';
import {
  serveCreateCreator,
  serveDeleteCreator,
  serveGetCreator,
  serveListCreators,
  serveRenameCreator,
} from './creators.ts';
import { serveStreamEvents } from './events.ts';
import { serveCreateExport, serveDeleteExport, serveGetExport } from './exports.ts';
import { serveListHighlights, serveMapHighlights } from './highlights.ts';
import { serveListLostMedia, serveRestoreLostMedia } from './lost-media.ts';
import {
  serveGetCaptions,
  serveGetFrame,
  serveListCaptionTracks,
  serveListChunks,
  serveListTexts,
} from './media-texts.ts';
import { serveImportMedia, serveUploadMedia } from './media-uploads.ts';
import {
  serveCheckMedia,
  serveDeleteMedia,
  serveGetMedia,
  serveListMedia,
  serveListMonths,
  serveRetryMedia,
  serveUpdateMedia,
} from './media.ts';
import {
  serveChangeRole,
  serveCreateInvitation,
  serveListInvitations,
  serveListMembers,
  serveRemoveMember,
  serveRevokeInvitation,
} from './members.ts';
import {
  serveCreateSavedSearch,
  serveDeleteSavedSearch,
  serveGetSavedSearch,
  serveListSavedSearches,
  serveUpdateSavedSearch,
} from './saved-searches.ts';
import { serveListClips, serveSearchMedia } from './search.ts';
import {
  serveChangePassword,
  serveGetSession,
  serveJoin,
  serveReadInvitation,
  serveSignIn,
  serveSignOut,
  serveSignOutEverywhere,
  serveSwitchWorkspace,
  serveUpdateProfile,
} from './session.ts';
import { serveCreateShare, serveDeleteShare, serveListShares } from './shares.ts';
import {
  serveChangeTagItems,
  serveCreateTag,
  serveDeleteTag,
  serveGetTag,
  serveListTags,
  serveMergeTag,
  serveRenameTag,
} from './tags.ts';
import {
  serveDeleteFromTrash,
  serveEmptyTrash,
  serveListTrash,
  serveMoveToTrash,
  serveRestoreFromTrash,
} from './trash.ts';
import { serveSendPart } from './upload-parts.ts';
import { serveCreateUpload, serveDeleteUpload, serveGetUpload, serveListUploads } from './uploads.ts';
import {
  serveCreateWebhook,
  serveDeleteWebhook,
  serveListDeliveries,
  serveListWebhooks,
  serveRedeliver,
  serveRevealWebhookSecret,
  serveRotateWebhookSecret,
  serveTestWebhook,
  serveUpdateWebhook,
} from './webhooks.ts';
import { serveGetWorkspace, serveLoadSamples, serveRenameWorkspace } from './workspace.ts';

/** The endpoints that take an API key. */
export const apiEndpoints = [
  serveGetCategory,
  serveListCategories,
  serveChangeCollectionItems,
  serveCreateCollection,
  serveDeleteCollection,
  serveGetCollection,
  serveListCollections,
  serveRenameCollection,
  serveCreateCreator,
  serveGetCreator,
  serveListCreators,
  serveStreamEvents,
  serveCreateExport,
  serveDeleteExport,
  serveGetExport,
  serveCheckMedia,
  serveDeleteMedia,
  serveGetMedia,
  serveListChunks,
  serveListCaptionTracks,
  serveGetCaptions,
  serveGetFrame,
  serveListMedia,
  serveListMonths,
  serveListTexts,
  serveRetryMedia,
  serveUpdateMedia,
  serveUploadMedia,
  serveImportMedia,
  serveCreateSavedSearch,
  serveDeleteSavedSearch,
  serveGetSavedSearch,
  serveListSavedSearches,
  serveUpdateSavedSearch,
  serveListClips,
  serveListHighlights,
  serveMapHighlights,
  serveSearchMedia,
  serveChangeTagItems,
  serveCreateTag,
  serveDeleteTag,
  serveGetTag,
  serveListTags,
  serveMergeTag,
  serveRenameTag,
  serveCreateShare,
  serveDeleteShare,
  serveListShares,
  serveDeleteFromTrash,
  serveEmptyTrash,
  serveListTrash,
  serveMoveToTrash,
  serveRestoreFromTrash,
  serveCreateUpload,
  serveDeleteUpload,
  serveGetUpload,
  serveListUploads,
  serveSendPart,
  serveGetWorkspace,
];

/** The endpoints that take a session of the dashboard. */
export const dashboardEndpoints = [
  serveCreateApiKey,
  serveListApiKeys,
  serveRevealApiKey,
  serveRevokeApiKey,
  serveRotateApiKey,
  serveCreateWebhook,
  serveDeleteWebhook,
  serveListDeliveries,
  serveListWebhooks,
  serveRedeliver,
  serveRevealWebhookSecret,
  serveRotateWebhookSecret,
  serveTestWebhook,
  serveUpdateWebhook,
  serveCreateCategory,
  serveDeleteCategory,
  serveUpdateCategory,
  serveDeleteCreator,
  serveRenameCreator,
  serveListLostMedia,
  serveRestoreLostMedia,
  serveChangeRole,
  serveCreateInvitation,
  serveListInvitations,
  serveListMembers,
  serveRemoveMember,
  serveRevokeInvitation,
  serveChangePassword,
  serveGetSession,
  serveJoin,
  serveReadInvitation,
  serveSignIn,
  serveSignOut,
  serveSignOutEverywhere,
  serveSwitchWorkspace,
  serveUpdateProfile,
  serveLoadSamples,
  serveRenameWorkspace,
];

import { serveCreateApiKey } from './api-keys/create-api-key.ts';
import { serveListApiKeys } from './api-keys/list-api-keys.ts';
import { serveRevealApiKey } from './api-keys/reveal-api-key.ts';
import { serveRevokeApiKey } from './api-keys/revoke-api-key.ts';
import { serveRotateApiKey } from './api-keys/rotate-api-key.ts';
import { serveCreateCategory } from './categories/create-category.ts';
import { serveDeleteCategory } from './categories/delete-category.ts';
import { serveGetCategory } from './categories/get-category.ts';
import { serveListCategories } from './categories/list-categories.ts';
import { serveUpdateCategory } from './categories/update-category.ts';
import { serveChangeCollectionItems } from './collections/change-collection-items.ts';
import { serveCreateCollection } from './collections/create-collection.ts';
import { serveDeleteCollection } from './collections/delete-collection.ts';
import { serveGetCollection } from './collections/get-collection.ts';
import { serveListCollections } from './collections/list-collections.ts';
import { serveRenameCollection } from './collections/rename-collection.ts';
import { serveCreateCreator } from './creators/create-creator.ts';
import { serveDeleteCreator } from './creators/delete-creator.ts';
import { serveGetCreator } from './creators/get-creator.ts';
import { serveListCreators } from './creators/list-creators.ts';
import { serveRenameCreator } from './creators/rename-creator.ts';
import { serveStreamEvents } from './events/stream-events.ts';
import { serveCreateExport } from './exports/create-export.ts';
import { serveDeleteExport } from './exports/delete-export.ts';
import { serveGetExport } from './exports/get-export.ts';
import { serveListLostMedia } from './lost-media/list-lost-media.ts';
import { serveRestoreLostMedia } from './lost-media/restore-lost-media.ts';
import { serveCheckMedia } from './media/check-media.ts';
import { serveDeleteMedia } from './media/delete-media.ts';
import { serveGetCaptions } from './media/get-captions.ts';
import { serveGetFrame } from './media/get-frame.ts';
import { serveGetMedia } from './media/get-media.ts';
import { serveImportMedia } from './media/import-media.ts';
import { serveListCaptionTracks } from './media/list-caption-tracks.ts';
import { serveListChunks } from './media/list-chunks.ts';
import { serveListMedia } from './media/list-media.ts';
import { serveListMonths } from './media/list-months.ts';
import { serveListTexts } from './media/list-texts.ts';
import { serveRetryMedia } from './media/retry-media.ts';
import { serveUpdateMedia } from './media/update-media.ts';
import { serveUploadMedia } from './media/upload-media.ts';
import { serveChangeRole } from './members/change-role.ts';
import { serveCreateInvitation } from './members/create-invitation.ts';
import { serveListInvitations } from './members/list-invitations.ts';
import { serveListMembers } from './members/list-members.ts';
import { serveRemoveMember } from './members/remove-member.ts';
import { serveRevokeInvitation } from './members/revoke-invitation.ts';
import { serveCreateSavedSearch } from './saved-searches/create-saved-search.ts';
import { serveDeleteSavedSearch } from './saved-searches/delete-saved-search.ts';
import { serveGetSavedSearch } from './saved-searches/get-saved-search.ts';
import { serveListSavedSearches } from './saved-searches/list-saved-searches.ts';
import { serveUpdateSavedSearch } from './saved-searches/update-saved-search.ts';
import { serveListClips } from './search/list-clips.ts';
import { serveListHighlights } from './search/list-highlights.ts';
import { serveMapHighlights } from './search/map-highlights.ts';
import { serveSearchMedia } from './search/search-media.ts';
import { serveSearchMediaByImage } from './search/search-media-by-image.ts';
import { serveChangePassword } from './session/change-password.ts';
import { serveGetSession } from './session/get-session.ts';
import { serveJoin } from './session/join.ts';
import { serveReadInvitation } from './session/read-invitation.ts';
import { serveSignIn } from './session/sign-in.ts';
import { serveSignOutEverywhere } from './session/sign-out-everywhere.ts';
import { serveSignOut } from './session/sign-out.ts';
import { serveSwitchWorkspace } from './session/switch-workspace.ts';
import { serveUpdateProfile } from './session/update-profile.ts';
import { serveCreateShare } from './shares/create-share.ts';
import { serveDeleteShare } from './shares/delete-share.ts';
import { serveListShares } from './shares/list-shares.ts';
import { serveChangeTagItems } from './tags/change-tag-items.ts';
import { serveCreateTag } from './tags/create-tag.ts';
import { serveDeleteTag } from './tags/delete-tag.ts';
import { serveGetTag } from './tags/get-tag.ts';
import { serveListTags } from './tags/list-tags.ts';
import { serveMergeTag } from './tags/merge-tag.ts';
import { serveRenameTag } from './tags/rename-tag.ts';
import { serveDeleteFromTrash } from './trash/delete-from-trash.ts';
import { serveEmptyTrash } from './trash/empty-trash.ts';
import { serveListTrash } from './trash/list-trash.ts';
import { serveMoveToTrash } from './trash/move-to-trash.ts';
import { serveRestoreFromTrash } from './trash/restore-from-trash.ts';
import { serveCreateUpload } from './uploads/create-upload.ts';
import { serveDeleteUpload } from './uploads/delete-upload.ts';
import { serveGetUpload } from './uploads/get-upload.ts';
import { serveListUploads } from './uploads/list-uploads.ts';
import { serveSendPart } from './uploads/send-part.ts';
import { serveCreateWebhook } from './webhooks/create-webhook.ts';
import { serveDeleteWebhook } from './webhooks/delete-webhook.ts';
import { serveListDeliveries } from './webhooks/list-deliveries.ts';
import { serveListWebhooks } from './webhooks/list-webhooks.ts';
import { serveRedeliver } from './webhooks/redeliver.ts';
import { serveRevealWebhookSecret } from './webhooks/reveal-webhook-secret.ts';
import { serveRotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { serveTestWebhook } from './webhooks/test-webhook.ts';
import { serveUpdateWebhook } from './webhooks/update-webhook.ts';
import { serveGetWorkspace } from './workspace/get-workspace.ts';
import { serveLoadSamples } from './workspace/load-samples.ts';
import { serveRenameWorkspace } from './workspace/rename-workspace.ts';

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
  serveSearchMediaByImage,
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

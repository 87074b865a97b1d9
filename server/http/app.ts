import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import files from '@fastify/static';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { basePath } from '../../contract/base-path.ts';
import { dashboardOperations } from '../../contract/dashboard-operations.ts';
import { operations } from '../../contract/operations.ts';
import { logBase, openLogStream } from '../log.ts';
import { requireApiKey } from './auth/api-key-auth.ts';
import { rejectCrossSiteRequests } from './auth/cross-site.ts';
import type { AppDependencies, Dependencies } from './dependencies.ts';
import { serveCreateApiKey } from './endpoints/api-keys/create-api-key.ts';
import { serveListApiKeys } from './endpoints/api-keys/list-api-keys.ts';
import { serveRevealApiKey } from './endpoints/api-keys/reveal-api-key.ts';
import { serveRevokeApiKey } from './endpoints/api-keys/revoke-api-key.ts';
import { serveRotateApiKey } from './endpoints/api-keys/rotate-api-key.ts';
import { serveCreateCategory } from './endpoints/categories/create-category.ts';
import { serveDeleteCategory } from './endpoints/categories/delete-category.ts';
import { serveGetCategory } from './endpoints/categories/get-category.ts';
import { serveListCategories } from './endpoints/categories/list-categories.ts';
import { serveUpdateCategory } from './endpoints/categories/update-category.ts';
import { serveChangeCollectionItems } from './endpoints/collections/change-collection-items.ts';
import { serveCreateCollection } from './endpoints/collections/create-collection.ts';
import { serveDeleteCollection } from './endpoints/collections/delete-collection.ts';
import { serveGetCollection } from './endpoints/collections/get-collection.ts';
import { serveListCollections } from './endpoints/collections/list-collections.ts';
import { serveRenameCollection } from './endpoints/collections/rename-collection.ts';
import { serveCreateCreator } from './endpoints/creators/create-creator.ts';
import { serveDeleteCreator } from './endpoints/creators/delete-creator.ts';
import { serveGetCreator } from './endpoints/creators/get-creator.ts';
import { serveListCreators } from './endpoints/creators/list-creators.ts';
import { serveRenameCreator } from './endpoints/creators/rename-creator.ts';
import { serveDashboard } from './endpoints/dashboard.ts';
import { serveStreamEvents } from './endpoints/events/stream-events.ts';
import { serveCreateExport } from './endpoints/exports/create-export.ts';
import { serveDeleteExport } from './endpoints/exports/delete-export.ts';
import { serveExportFile } from './endpoints/exports/export-file.ts';
import { serveGetExport } from './endpoints/exports/get-export.ts';
import { serveFiles } from './endpoints/files.ts';
import { serveGetOpenApi } from './endpoints/get-open-api.ts';
import { serveListLostMedia } from './endpoints/lost-media/list-lost-media.ts';
import { serveRestoreLostMedia } from './endpoints/lost-media/restore-lost-media.ts';
import { serveCheckMedia } from './endpoints/media/check-media.ts';
import { serveDeleteMedia } from './endpoints/media/delete-media.ts';
import { serveGetCaptions } from './endpoints/media/get-captions.ts';
import { serveGetFrame } from './endpoints/media/get-frame.ts';
import { serveGetMedia } from './endpoints/media/get-media.ts';
import { serveImportMedia } from './endpoints/media/import-media.ts';
import { serveListCaptionTracks } from './endpoints/media/list-caption-tracks.ts';
import { serveListChunks } from './endpoints/media/list-chunks.ts';
import { serveListMedia } from './endpoints/media/list-media.ts';
import { serveListMonths } from './endpoints/media/list-months.ts';
import { serveListTexts } from './endpoints/media/list-texts.ts';
import { serveRetryMedia } from './endpoints/media/retry-media.ts';
import { serveUpdateMedia } from './endpoints/media/update-media.ts';
import { serveUploadMedia } from './endpoints/media/upload-media.ts';
import { serveChangeRole } from './endpoints/members/change-role.ts';
import { serveCreateInvitation } from './endpoints/members/create-invitation.ts';
import { serveListInvitations } from './endpoints/members/list-invitations.ts';
import { serveListMembers } from './endpoints/members/list-members.ts';
import { serveRemoveMember } from './endpoints/members/remove-member.ts';
import { serveRevokeInvitation } from './endpoints/members/revoke-invitation.ts';
import { serveProbes } from './endpoints/probes.ts';
import { serveReference } from './endpoints/reference.ts';
import { serveCreateSavedSearch } from './endpoints/saved-searches/create-saved-search.ts';
import { serveDeleteSavedSearch } from './endpoints/saved-searches/delete-saved-search.ts';
import { serveGetSavedSearch } from './endpoints/saved-searches/get-saved-search.ts';
import { serveListSavedSearches } from './endpoints/saved-searches/list-saved-searches.ts';
import { serveUpdateSavedSearch } from './endpoints/saved-searches/update-saved-search.ts';
import { serveListClips } from './endpoints/search/list-clips.ts';
import { serveListHighlights } from './endpoints/search/list-highlights.ts';
import { serveMapHighlights } from './endpoints/search/map-highlights.ts';
import { serveSearchMediaByImage } from './endpoints/search/search-media-by-image.ts';
import { serveSearchMedia } from './endpoints/search/search-media.ts';
import { serveChangePassword } from './endpoints/session/change-password.ts';
import { serveGetSession } from './endpoints/session/get-session.ts';
import { serveJoin } from './endpoints/session/join.ts';
import { serveReadInvitation } from './endpoints/session/read-invitation.ts';
import { serveSignIn } from './endpoints/session/sign-in.ts';
import { serveSignOut } from './endpoints/session/sign-out.ts';
import { serveSwitchWorkspace } from './endpoints/session/switch-workspace.ts';
import { serveUpdateProfile } from './endpoints/session/update-profile.ts';
import { serveCreateShare } from './endpoints/shares/create-share.ts';
import { serveDeleteShare } from './endpoints/shares/delete-share.ts';
import { serveListShares } from './endpoints/shares/list-shares.ts';
import { serveSharedPage } from './endpoints/shares/shared-page.ts';
import { serveChangeTagItems } from './endpoints/tags/change-tag-items.ts';
import { serveCreateTag } from './endpoints/tags/create-tag.ts';
import { serveDeleteTag } from './endpoints/tags/delete-tag.ts';
import { serveGetTag } from './endpoints/tags/get-tag.ts';
import { serveListTags } from './endpoints/tags/list-tags.ts';
import { serveMergeTag } from './endpoints/tags/merge-tag.ts';
import { serveRenameTag } from './endpoints/tags/rename-tag.ts';
import { serveDeleteFromTrash } from './endpoints/trash/delete-from-trash.ts';
import { serveEmptyTrash } from './endpoints/trash/empty-trash.ts';
import { serveListTrash } from './endpoints/trash/list-trash.ts';
import { serveMoveToTrash } from './endpoints/trash/move-to-trash.ts';
import { serveRestoreFromTrash } from './endpoints/trash/restore-from-trash.ts';
import { serveCreateUpload } from './endpoints/uploads/create-upload.ts';
import { serveDeleteUpload } from './endpoints/uploads/delete-upload.ts';
import { serveGetUpload } from './endpoints/uploads/get-upload.ts';
import { serveSendPart } from './endpoints/uploads/send-part.ts';
import { serveCreateWebhook } from './endpoints/webhooks/create-webhook.ts';
import { serveDeleteWebhook } from './endpoints/webhooks/delete-webhook.ts';
import { serveListDeliveries } from './endpoints/webhooks/list-deliveries.ts';
import { serveListWebhooks } from './endpoints/webhooks/list-webhooks.ts';
import { serveRedeliver } from './endpoints/webhooks/redeliver.ts';
import { serveRevealWebhookSecret } from './endpoints/webhooks/reveal-webhook-secret.ts';
import { serveRotateWebhookSecret } from './endpoints/webhooks/rotate-webhook-secret.ts';
import { serveTestWebhook } from './endpoints/webhooks/test-webhook.ts';
import { serveUpdateWebhook } from './endpoints/webhooks/update-webhook.ts';
import { serveGetWorkspace } from './endpoints/workspace/get-workspace.ts';
import { serveLoadSamples } from './endpoints/workspace/load-samples.ts';
import { serveRenameWorkspace } from './endpoints/workspace/rename-workspace.ts';
import { handleInvalidUrl, rejectUnknownPath, registerErrorHandling } from './errors/error-handler.ts';
import { createRateLimit } from './limits/rate-limit.ts';
import { createSignInLimits } from './limits/sign-in-limit.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { rejectOtherMethods } from './operations/other-methods.ts';
import { compileWhenSent } from './operations/response-schemas.ts';
import { compressJson } from './protocol/compression.ts';
import { drainOnClose, patientDrain, shortDrain } from './protocol/graceful-shutdown.ts';
import { handleClientError, checkRequestHeads } from './protocol/request-heads.ts';
import { createRequestIds } from './protocol/request-id.ts';
import { observeRequests } from './protocol/request-log.ts';
import { addSecurityHeaders } from './protocol/security-headers.ts';
import { describeTus, overrideMethod, tusRequestHeaders, tusResponseHeaders } from './protocol/tus.ts';

/** The endpoints for API keys. */
const apiEndpoints = [
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
  serveSendPart,
  serveGetWorkspace,
];

/** The endpoints for sessions of the dashboard. */
const dashboardEndpoints = [
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
  serveSwitchWorkspace,
  serveUpdateProfile,
  serveLoadSamples,
  serveRenameWorkspace,
];

/** An idle connection is closed after this time, also in the middle of an upload or a download. */
const idleTimeoutMs = 120_000;

/** Builds the HTTP service without listening. */
export async function buildApp(appDependencies: AppDependencies): Promise<FastifyInstance> {
  const { counters, requestsPerMinute } = appDependencies;
  const dependencies = {
    ...appDependencies,
    signInLimits: createSignInLimits(counters),
    rateLimit: createRateLimit(counters, requestsPerMinute),
  };
  const app = createServer(dependencies);
  app.decorateRequest('workspaceId', '');
  observeRequests(app, dependencies.metrics);
  app.setSerializerCompiler(compileWhenSent);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-Id', request.id);
  });
  registerErrorHandling(app);
  checkRequestHeads(app);
  // Their clients go elsewhere, and nobody waits for them.
  app.addHook('preClose', async () => dependencies.eventFeed.stop());
  drainOnClose(app, dependencies.role === 'all' ? shortDrain : patientDrain);
  acceptEmptyJsonBody(app);
  await addSecurityHeaders(app);
  await app.register(files, { serve: false, root: dependencies.dashboardDirectory, preCompressed: true });
  await app.register((api) => serveApi(api, dependencies), { prefix: basePath });
  await app.register((scope) => serveDashboardApi(scope, dependencies));
  await app.register((scope) => serveMcp(scope, dependencies));
  await app.register((scope) => serveReference(scope));
  serveProbes(app, dependencies);
  serveExportFile(app, dependencies);
  serveFiles(app, dependencies);
  serveSharedPage(app, dependencies);
  serveDashboard(app, dependencies.dashboardDirectory);
  return app;
}

/** A server without routes. */
export function createServer({
  logLevel,
  trustedProxies,
  role,
}: Pick<AppDependencies, 'logLevel' | 'trustedProxies' | 'role'>): FastifyInstance {
  const app = Fastify({
    logger: {
      level: logLevel,
      base: logBase(role),
      stream: openLogStream(),
      redact: ['busboyOptions.headers'],
    },
    // It would write two lines for each request.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(trustedProxies),
    // A proxy in front ends TLS and passes on the client's IP address, and the scheme and host that it used. Other senders are not trusted.
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    // A shutdown must not wait for a browser that keeps its connection open.
    forceCloseConnections: true,
    return503OnClosing: false,
    connectionTimeout: idleTimeoutMs,
    // Node's own refusal of a request without `Host` has no body; ours has.
    http: { requireHostHeader: false },
    clientErrorHandler: handleClientError,
    frameworkErrors: handleInvalidUrl,
    rewriteUrl(request) {
      overrideMethod(request);
      return request.url ?? '/';
    },
    routerOptions: { ignoreTrailingSlash: true },
  });
  // For example a connection that cannot be accepted because too many files are open.
  app.server.on('error', (error) => {
    // A failure to listen fails the start, which reports it.
    if (app.server.listening) app.log.error({ err: error }, 'connection not accepted');
  });
  return app;
}

async function serveApi(api: FastifyInstance, dependencies: Dependencies): Promise<void> {
  describeTus(api, dependencies.maxUploadBytes);
  // A key, not a cookie, is the permission, so any site's scripts may ask with one.
  await api.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-None-Match',
      'Last-Event-ID',
      ...tusRequestHeaders,
    ],
    exposedHeaders: [
      'ETag',
      'Idempotency-Replayed',
      'Location',
      'RateLimit',
      'Server-Timing',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
      ...tusResponseHeaders,
    ],
    maxAge: 86_400,
    strictPreflight: false,
  });
  await compressJson(api);
  // A route of this scope, so that scripts of other sites can read this refusal too.
  const methods = api.supportedMethods.filter((method) => method !== 'OPTIONS');
  api.route({ method: methods, url: '/*', handler: rejectUnknownPath });
  await api.register(multipart, { limits: { files: 1, fields: 20, fieldSize: 1024 }, throwFileSizeLimit: true });
  serveGetOpenApi(api, dependencies);
  await api.register(async (authenticated) => {
    requireApiKey(authenticated, dependencies);
    authenticated.addHook('onRequest', dependencies.rateLimit);
    for (const serve of apiEndpoints) serve(authenticated, dependencies);
    await authenticated.register((scope) => serveSearchMediaByImage(scope, dependencies));
    rejectOtherMethods(authenticated, Object.values(operations));
  });
}

async function serveDashboardApi(scope: FastifyInstance, dependencies: Dependencies): Promise<void> {
  await scope.register(cookie);
  rejectCrossSiteRequests(scope, dependencies.publicUrl);
  // Sessions, keys and links must not be in any cache.
  scope.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'no-store'));
  for (const serve of dashboardEndpoints) serve(scope, dependencies);
  rejectOtherMethods(scope, Object.values(dashboardOperations));
}

/** An empty JSON body is none: many clients name the type even where they send nothing. */
function acceptEmptyJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null);
    else void parse(request, body as string, done);
  });
}

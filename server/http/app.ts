import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import files from '@fastify/static';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { basePath } from '../../contract/base-path.ts';
import { dashboardOperations } from '../../contract/dashboard-operations.ts';
import { describeApi } from '../../contract/openapi.ts';
import { operations } from '../../contract/operations.ts';
import { openLogStream } from '../log.ts';
import { requireApiKey } from './auth/api-key-auth.ts';
import { type DashboardRouteDependencies, rejectCrossSiteRequests } from './auth/session-auth.ts';
import type { Dependencies } from './dependencies.ts';
import { serveCreatorsAndCategories } from './endpoints/creators-and-categories.ts';
import { serveDashboard } from './endpoints/dashboard.ts';
import { serveFiles } from './endpoints/files.ts';
import { type LostMediaDependencies, serveLostMedia } from './endpoints/lost-media.ts';
import { serveManagement } from './endpoints/manage.ts';
import { type MediaRouteDependencies, serveMedia } from './endpoints/media.ts';
import { serveReference } from './endpoints/reference.ts';
import { serveSamples } from './endpoints/samples.ts';
import { serveListClips } from './endpoints/search/list-clips.ts';
import { serveListHighlights } from './endpoints/search/list-highlights.ts';
import { serveMapHighlights } from './endpoints/search/map-highlights.ts';
import { serveSearchMediaByImage } from './endpoints/search/search-media-by-image.ts';
import { serveSearchMedia } from './endpoints/search/search-media.ts';
import { serveSession } from './endpoints/session.ts';
import { serveUpload, type UploadRouteDependencies } from './endpoints/upload.ts';
import { serveWorkspace, type WorkspaceRouteDependencies } from './endpoints/workspace.ts';
import { handleInvalidUrl, rejectUnknownPath, registerErrorHandling } from './errors/error-handler.ts';
import { limitRate } from './limits/rate-limit.ts';
import { rejectOtherMethods, sendConditionally } from './operations/serve-operation.ts';
import { getBaseUrl } from './protocol/base-url.ts';
import { drainOnClose } from './protocol/graceful-shutdown.ts';
import { handleClientError, checkRequestHeads } from './protocol/request-heads.ts';

export type AppDependencies = MediaRouteDependencies &
  UploadRouteDependencies &
  Dependencies &
  WorkspaceRouteDependencies &
  DashboardRouteDependencies &
  LostMediaDependencies & {
    logLevel: string;
    version: string;
    dashboardDirectory: string;
    /** Requests a minute that each API key may make; 0: any number. */
    requestsPerMinute: number;
    /** Addresses and networks of the proxies whose `X-Forwarded-…` count. */
    trustedProxies: string[];
  };

/** A connection on which nothing moves for this long is closed; an upload or a download that stalls is given up. */
const idleTimeoutMs = 120_000;

/** Builds the HTTP service without listening. */
export async function buildApp(parts: AppDependencies): Promise<FastifyInstance> {
  const app = Fastify({
    logger: {
      level: parts.logLevel,
      stream: openLogStream(),
      serializers: { req: describeRequest },
      redact: ['busboyOptions.headers'],
    },
    genReqId: () => crypto.randomUUID(),
    // A proxy in front ends TLS and tells the address of the client, and the scheme and host that it used. Anybody else might lie.
    trustProxy: parts.trustedProxies.length > 0 && parts.trustedProxies,
    // Ctrl-C must not wait for a browser that keeps its connection open.
    forceCloseConnections: true,
    return503OnClosing: false,
    connectionTimeout: idleTimeoutMs,
    // Node's own refusal of a request without `Host` has no body; ours has.
    http: { requireHostHeader: false },
    clientErrorHandler: handleClientError,
    frameworkErrors: handleInvalidUrl,
    routerOptions: { ignoreTrailingSlash: true },
  });
  // Such as a connection that cannot be taken because too many files are open.
  app.server.on('error', (error) => {
    // A failure to listen ends the start, which says so.
    if (app.server.listening) app.log.error({ err: error }, 'the server failed to take a connection');
  });
  app.decorateRequest('workspaceId', '');
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-Id', request.id);
  });
  registerErrorHandling(app);
  checkRequestHeads(app);
  drainOnClose(app);
  acceptEmptyJsonBody(app);
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        // The sums of files are computed by WebAssembly before they are sent.
        'script-src': ["'self'", "'wasm-unsafe-eval'"],
        // Data and media, never scripts, may come from another service that the dashboard is pointed at.
        'connect-src': ["'self'", 'http:', 'https:'],
        'img-src': ["'self'", 'blob:', 'data:', 'http:', 'https:'],
        'media-src': ["'self'", 'blob:', 'http:', 'https:'],
        // Components place menus and progress bars by style attributes.
        'style-src': ["'self'", "'unsafe-inline'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
        'object-src': ["'none'"],
      },
    },
    // Plain HTTP on a local network is a normal way to run this service.
    strictTransportSecurity: false,
  });
  await app.register(files, { serve: false, root: parts.dashboardDirectory, preCompressed: true });
  await app.register((api) => serveApi(api, parts), { prefix: basePath });
  await app.register((scope) => serveDashboardApi(scope, parts));
  await app.register((scope) => serveReference(scope));
  serveFiles(app, parts);
  serveDashboard(app, parts.dashboardDirectory);
  return app;
}

async function serveApi(api: FastifyInstance, parts: AppDependencies): Promise<void> {
  // A key, not a cookie, is the permission, so any site's scripts may ask with one.
  await api.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match'],
    exposedHeaders: [
      'ETag',
      'Idempotency-Replayed',
      'Location',
      'RateLimit',
      'Server-Timing',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
    ],
    maxAge: 86_400,
    strictPreflight: false,
  });
  // A route of this scope, so that scripts of other sites can read this refusal too.
  const methods = api.supportedMethods.filter((method) => method !== 'OPTIONS');
  api.route({ method: methods, url: '/*', handler: rejectUnknownPath });
  await api.register(multipart, { limits: { files: 1, fields: 20, fieldSize: 1024 }, throwFileSizeLimit: true });
  api.get(operations.getOpenApi.path, (request, reply) =>
    sendConditionally(request, reply, describeApi(getBaseUrl(request, parts.publicUrl), parts.version)),
  );
  await api.register(async (authenticated) => {
    requireApiKey(authenticated, parts.db);
    limitRate(authenticated, parts.requestsPerMinute);
    serveMedia(authenticated, parts);
    serveUpload(authenticated, parts);
    serveSearchMedia(authenticated, parts);
    await authenticated.register((scope) => serveSearchMediaByImage(scope, parts));
    serveListHighlights(authenticated, parts);
    serveMapHighlights(authenticated, parts);
    serveListClips(authenticated, parts);
    serveCreatorsAndCategories(authenticated, parts);
    serveWorkspace(authenticated, parts);
    rejectOtherMethods(authenticated, Object.values(operations));
  });
}

async function serveDashboardApi(scope: FastifyInstance, parts: AppDependencies): Promise<void> {
  await scope.register(cookie);
  rejectCrossSiteRequests(scope, parts.publicUrl);
  // Sessions, keys, links: nothing of this may be found in a cache.
  scope.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'no-store'));
  serveSession(scope, parts);
  serveManagement(scope, parts);
  serveSamples(scope, parts);
  serveLostMedia(scope, parts);
  rejectOtherMethods(scope, Object.values(dashboardOperations));
}

/** A request in the log: without its query, which carries signatures, one-time tokens and what people search for. */
function describeRequest({ id, method, url, ip }: FastifyRequest) {
  return { id, method, path: url.split('?')[0], remoteAddress: ip };
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

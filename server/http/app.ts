import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import multipart from '@fastify/multipart';
import files from '@fastify/static';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { basePath } from '../../contract/base-path.ts';
import { dashboardOperations } from '../../contract/dashboard-operations.ts';
import { operations } from '../../contract/operations.ts';
import { logBase, openLogStream } from '../platform/log.ts';
import { requireApiKey } from './auth/api-key-auth.ts';
import { rejectCrossSiteRequests } from './auth/session-auth.ts';
import type { AppDependencies, Dependencies } from './dependencies.ts';
import { apiEndpoints, dashboardEndpoints } from './endpoints/all-endpoints.ts';
import { serveDashboard } from './endpoints/dashboard.ts';
import { serveExportFile } from './endpoints/exports.ts';
import { serveFiles } from './endpoints/files.ts';
import { serveProbes } from './endpoints/probes.ts';
import { serveGetOpenApi, serveReference } from './endpoints/reference.ts';
import { serveSharedPage } from './endpoints/shared-page.ts';
import { handleInvalidUrl, registerErrorHandling, rejectUnknownPath } from './errors/error-handler.ts';
import { createRateLimit } from './limits/rate-limit.ts';
import { createSignInLimits } from './limits/sign-in-limit.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { compileWhenSent } from './operations/response-schemas.ts';
import { rejectOtherMethods } from './operations/serve-operation.ts';
import { drainOnClose, idleTimeoutMs, patientDrain, shortDrain } from './protocol/connections.ts';
import { observeRequests } from './protocol/request-log.ts';
import { checkRequestHeads, createRequestIds, handleClientError } from './protocol/requests.ts';
import { addSecurityHeaders, compressJson } from './protocol/responses.ts';
import { describeTus, overrideMethod, tusRequestHeaders, tusResponseHeaders } from './protocol/tus.ts';
import { defaultBodyLimit, keepJsonUnread } from './request-bodies/read-json.ts';

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
  app.decorateRequest('traffic', null);
  app.decorateRequest('checkAccess', null);
  observeRequests(app, dependencies.metrics);
  app.setSerializerCompiler(compileWhenSent);
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-Id', request.id);
  });
  registerErrorHandling(app);
  checkRequestHeads(app);
  // A shutdown does not wait for streams of events: their clients connect to another process.
  app.addHook('preClose', async () => dependencies.eventFeed.stop());
  drainOnClose(app, dependencies.role === 'all' ? shortDrain : patientDrain);
  keepJsonUnread(app);
  await addSecurityHeaders(app);
  // Before its body is read.
  app.addHook('onRequest', async (request) => {
    if (request.is404) rejectUnknownPath(request);
  });
  await app.register(files, { serve: false, root: dependencies.dashboardDirectory, preCompressed: true });
  await app.register((api) => serveApi(api, dependencies), { prefix: basePath });
  await app.register((scope) => serveDashboardApi(scope, dependencies));
  await app.register((scope) => serveMcp(scope, dependencies));
  await app.register((scope) => serveReference(scope));
  serveProbes(app, dependencies);
  serveExportFile(app, dependencies);
  serveFiles(app, dependencies);
  await serveSharedPage(app, dependencies);
  serveDashboard(app, dependencies.dashboardDirectory);
  return app;
}

/** Builds the HTTP side of a process that answers no requests but those about itself. */
export function buildProbeApp(
  parts: Pick<AppDependencies, 'logLevel' | 'trustedProxies' | 'role' | 'metrics' | 'readiness'>,
): FastifyInstance {
  const app = createServer(parts);
  registerErrorHandling(app);
  serveProbes(app, parts);
  return app;
}

/** A server without routes. */
function createServer({
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
    bodyLimit: defaultBodyLimit.bytes,
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
  // What is of one workspace, and holds signed URLs, must not be in any cache. Responses that may be kept say so themselves.
  api.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'private, no-store'));
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
  api.route({
    method: methods,
    url: '/*',
    onRequest: async (request) => rejectUnknownPath(request),
    handler: rejectUnknownPath,
  });
  await api.register(multipart, { limits: { files: 1, fields: 20, fieldSize: 1024 }, throwFileSizeLimit: true });
  serveGetOpenApi(api, dependencies);
  await api.register(async (authenticated) => {
    requireApiKey(authenticated, dependencies);
    authenticated.addHook('onRequest', dependencies.rateLimit);
    for (const serve of apiEndpoints) serve(authenticated, dependencies);
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

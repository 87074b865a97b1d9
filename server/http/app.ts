import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import files from '@fastify/static';
import Fastify, { type FastifyInstance } from 'fastify';
import { basePath, endpoints, type OperationId } from '../../contract/endpoints.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { operations } from '../../contract/operations.ts';
import { requireApiKey } from './authentication.ts';
import { baseUrlOf } from './base-url.ts';
import { serveDashboard } from './dashboard.ts';
import { registerErrorHandling } from './error-handling.ts';
import { serveFiles } from './files.ts';
import { type MediaRouteParts, serveMedia } from './media.ts';
import { refuseOtherMethods } from './operation-routes.ts';
import { type SearchRouteParts, serveSearch } from './search.ts';
import { serveSession } from './session.ts';
import { serveUpload, type UploadRouteParts } from './upload.ts';
import { serveWorkspace } from './workspace.ts';

export type AppParts = MediaRouteParts &
  UploadRouteParts &
  Omit<SearchRouteParts, 'search'> & {
    logLevel: string;
    version: string;
    dashboardDirectory: string;
  };

/** Builds the HTTP service without listening. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const app = Fastify({
    logger: { level: parts.logLevel, stream: process.stderr, redact: ['req.headers.authorization'] },
    genReqId: () => crypto.randomUUID(),
    // A proxy in front ends TLS and tells the scheme and host that the client used.
    trustProxy: 'loopback',
    // Ctrl-C must not wait for a browser that keeps its connection open.
    forceCloseConnections: true,
  });
  app.decorateRequest('workspaceId', '');
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('X-Request-Id', request.id);
  });
  registerErrorHandling(app);
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'img-src': ["'self'", 'blob:', 'data:'],
        'media-src': ["'self'", 'blob:'],
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
  await app.register(cookie);
  await app.register(files, { serve: false, root: parts.dashboardDirectory });
  await app.register((api) => serveApi(api, parts), { prefix: basePath });
  await app.register(async (scope) => serveSession(scope, parts));
  serveFiles(app, parts);
  serveDashboard(app, parts.dashboardDirectory);
  return app;
}

async function serveApi(api: FastifyInstance, parts: AppParts): Promise<void> {
  await api.register(multipart, { limits: { files: 1, fields: 20, fieldSize: 1024 }, throwFileSizeLimit: true });
  api.get(endpoints.getOpenApi.path, (request) => buildOpenApi(baseUrlOf(request, parts.publicUrl), parts.version));
  await api.register(async (authenticated) => {
    requireApiKey(authenticated, parts.db);
    serveMedia(authenticated, parts);
    serveUpload(authenticated, parts);
    serveSearch(authenticated, parts);
    serveWorkspace(authenticated, parts);
    const served = (Object.keys(endpoints) as OperationId[]).filter((id) => !('planned' in operations[id]));
    refuseOtherMethods(authenticated, served);
  });
}

import Fastify, { type FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { describeApi } from '../../../contract/openapi.ts';
import { operations } from '../../../contract/operations.ts';
import { randomToken } from '../../platform/crypto/secrets.ts';
import type { Dependencies } from '../dependencies.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { sendConditionally } from '../protocol/responses.ts';

/** The path of the API reference. */
export const referencePath = '/reference';

/** Serves the API reference, rendered in the browser from the OpenAPI document. It loads nothing from other origins. */
export async function serveReference(scope: FastifyInstance): Promise<void> {
  const nonce = randomToken();
  scope.addHook('onRequest', async (_request, reply) => {
    void reply.header(
      'Content-Security-Policy',
      [
        "default-src 'self'",
        `script-src 'self' 'nonce-${nonce}'`,
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
    );
  });
  let pages: Promise<FastifyInstance> | undefined;
  for (const url of [referencePath, `${referencePath}/*`]) {
    scope.get(url, async (request, reply) => {
      pages ??= loadPages(nonce);
      const { statusCode, headers, rawPayload } = await (await pages).inject(request.url);
      if (statusCode === 404) return reply.callNotFound();
      const { location, 'content-type': type } = headers;
      if (location !== undefined) void reply.header('Location', location);
      if (type !== undefined) void reply.header('Content-Type', type);
      return reply.code(statusCode).send(rawPayload);
    });
  }
}

/**
 * The pages, served by an app of their own: they are a sixth of all modules of the service and half of their bytes, and few starts show
 * them to anybody, so they are loaded at the first request.
 */
async function loadPages(nonce: string): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(reference, {
    routePrefix: referencePath,
    configuration: {
      url: `${basePath}${operations.getOpenApi.path}`,
      pageTitle: 'Media Search API',
      nonce,
      // Nothing is fetched from or sent to other origins.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    },
  });
  return app;
}

/** `GET /openapi.json`. */
export function serveGetOpenApi(app: FastifyInstance, { publicUrl }: Dependencies): void {
  app.get(operations.getOpenApi.path, (request, reply) =>
    sendConditionally(request, reply, describeApi(getBaseUrl(request, publicUrl))),
  );
}

import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { operations } from '../../../contract/operations.ts';
import { randomToken } from '../../crypto/secrets.ts';

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
  await scope.register(reference, {
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
}

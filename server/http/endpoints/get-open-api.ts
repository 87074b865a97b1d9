import type { FastifyInstance } from 'fastify';
import { describeApi } from '../../../contract/openapi.ts';
import { operations } from '../../../contract/operations.ts';
import type { Dependencies } from '../dependencies.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { sendConditionally } from '../protocol/etag.ts';

/** `GET /openapi.json`. */
export function serveGetOpenApi(app: FastifyInstance, { publicUrl }: Dependencies): void {
  app.get(operations.getOpenApi.path, (request, reply) =>
    sendConditionally(request, reply, describeApi(getBaseUrl(request, publicUrl))),
  );
}

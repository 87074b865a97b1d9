import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { tus } from '../../../contract/uploads.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Header fields that scripts of other sites may send for resumable uploads. */
export const tusRequestHeaders = [
  'Tus-Resumable',
  'Upload-Checksum',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Requested-With',
];

/** Those of responses that they may read. */
export const tusResponseHeaders = [
  'Content-Location',
  'Tus-Checksum-Algorithm',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
];

const pathPattern = new RegExp(`^${basePath}/uploads(?:[/?]|$)`);

/**
 * Says in each response below `/uploads` which protocol is spoken, refusals included, and in those to `OPTIONS` what of it, without a key. Call it
 * before what answers the browsers' questions about other origins.
 */
export function describeTus(api: FastifyInstance, maxUploadBytes: number): void {
  api.addHook('onRequest', async (request, reply) => {
    if (!pathPattern.test(request.url)) return;
    void reply.header('Tus-Resumable', tus.version);
    if (request.method !== 'OPTIONS') return;
    void reply
      .header('Tus-Version', tus.version)
      .header('Tus-Extension', tus.extensions.join(','))
      .header('Tus-Checksum-Algorithm', tus.checksumAlgorithms.join(','))
      .header('Tus-Max-Size', String(maxUploadBytes));
  });
}

/** Refuses a request of another version of the protocol, before anything else is looked at. Throws `unsupported_tus_version`. */
export async function requireTusVersion({ headers }: FastifyRequest): Promise<void> {
  if (headers['tus-resumable'] === tus.version) return;
  throw new ApiError('unsupported_tus_version', `The header \`Tus-Resumable\` must be ${tus.version}.`, {
    headers: { 'Tus-Version': tus.version },
  });
}

/** Below `/uploads` a header replaces the method, for clients that cannot send PATCH or DELETE. */
export function overrideMethod(request: IncomingMessage): void {
  const method = request.headers['x-http-method-override'];
  if (request.method !== 'POST' || !['PATCH', 'DELETE', 'HEAD'].includes(String(method))) return;
  if (pathPattern.test(request.url ?? '')) request.method = String(method);
}

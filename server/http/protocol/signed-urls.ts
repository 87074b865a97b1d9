import type { FastifyRequest } from 'fastify';
import { isSignatureValid } from '../../assets/asset-urls.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';

/** Throws `forbidden` when the URL of a file is not signed, or its signature has expired. */
export function checkSignature(secrets: Secrets, { url, query }: Pick<FastifyRequest, 'url' | 'query'>): void {
  const { expires, signature } = query as { expires?: unknown; signature?: unknown };
  const pathname = url.split('?')[0] ?? '';
  if (typeof expires === 'string' && typeof signature === 'string') {
    if (isSignatureValid(secrets, pathname, expires, signature)) return;
  }
  throw new ApiError('forbidden', 'This URL has expired or was altered. Ask the API for a new one.');
}

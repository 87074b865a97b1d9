import type { FastifyRequest } from 'fastify';

/**
 * The service's address as this client reaches it: the configured one, or else what its request names. A page opened under
 * `localhost` then gets addresses under `localhost`, which its content security policy lets through.
 */
export function baseUrlOf(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}

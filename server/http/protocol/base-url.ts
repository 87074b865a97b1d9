import type { FastifyRequest } from 'fastify';

/**
 * The service's address as this client reaches it: the configured one, or else what its request names. A page opened under
 * `localhost` then gets addresses under `localhost`, which its content security policy lets through. What a proxy's headers name counts
 * where it makes an http or https address.
 */
export function getBaseUrl(
  { protocol, host, headers }: Pick<FastifyRequest, 'protocol' | 'host' | 'headers'>,
  publicUrl: string | null,
): string {
  if (publicUrl !== null) return publicUrl;
  const scheme = protocol === 'https' ? 'https' : 'http';
  const address = [host, headers.host].map((each) => `${scheme}://${each}`).find((each) => URL.canParse(each));
  return new URL(address ?? `${scheme}://localhost`).origin;
}

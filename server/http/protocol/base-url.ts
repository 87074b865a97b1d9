import type { FastifyRequest } from 'fastify';

/**
 * The URL of the service as this client reaches it, without a path: the configured one, otherwise what the request names. So a page that is
 * opened under `localhost` gets URLs under `localhost`, which its content security policy allows. Headers of a proxy count where they
 * make an http or https URL.
 */
export function getBaseUrl(
  { protocol, host, headers }: Pick<FastifyRequest, 'protocol' | 'host' | 'headers'>,
  publicUrl: string | null,
): string {
  if (publicUrl !== null) return publicUrl;
  const scheme = protocol === 'https' ? 'https' : 'http';
  const url = [host, headers.host].map((each) => `${scheme}://${each}`).find((each) => URL.canParse(each));
  return new URL(url ?? `${scheme}://localhost`).origin;
}

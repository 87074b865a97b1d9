import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import { getBaseUrl } from '../protocol/base-url.ts';

const deviceCookie = 'media_search_device';
const lifetimeSeconds = 365 * 24 * 60 * 60;

const signed = (person: string, device: string) => `known device\n${person}\n${device}`;

/**
 * Notes in the browser that a person has signed in with it (a device cookie, as OWASP names it). It opens nothing: failures of others, from this
 * network or any other, do not lock a known device out. It outlives the session.
 */
export function noteDevice(
  request: FastifyRequest,
  reply: FastifyReply,
  personId: string,
  { secrets, publicUrl }: { secrets: Secrets; publicUrl: string | null },
): void {
  if (findKnownDevice(request, personId, secrets) !== undefined) return;
  const device = randomBytes(16).toString('base64url');
  void reply.setCookie(deviceCookie, `${device}.${secrets.sign(signed(personId, device))}`, {
    path: '/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: getBaseUrl(request, publicUrl).startsWith('https:'),
    maxAge: lifetimeSeconds,
  });
}

/** The device that a request comes from, where this person has signed in with it; undefined otherwise. */
export function findKnownDevice({ cookies }: FastifyRequest, personId: string, secrets: Secrets): string | undefined {
  const [device = '', signature = ''] = (cookies[deviceCookie] ?? '').split('.');
  return secrets.verify(signed(personId, device), signature) ? device : undefined;
}

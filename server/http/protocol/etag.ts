import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An entity tag of a response body (RFC 9110, 8.8.3). A weak one: the same body is sent compressed and as it is. */
export const createEtag = (body: string): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

/** Whether an `If-None-Match` header names a tag; by weak comparison, as the RFC has it. */
export function matchesEtag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = withoutWeakness(tag);
  return header.split(',').some((each) => {
    const candidate = each.trim();
    return candidate === '*' || withoutWeakness(candidate) === opaque;
  });
}

const withoutWeakness = (tag: string): string => tag.replace(/^W\//, '');

/** Sends a body with an `ETag`, or 304 when the client has it already (RFC 9110, 13.1.2). */
export function sendConditionally(request: FastifyRequest, reply: FastifyReply, body: unknown): FastifyReply {
  const text = reply.serialize(body) as string;
  const tag = createEtag(text);
  void reply.header('ETag', tag).header('Cache-Control', 'private, no-cache');
  if (matchesEtag(request.headers['if-none-match'], tag)) return reply.status(304).send();
  return reply.type('application/json; charset=utf-8').send(text);
}

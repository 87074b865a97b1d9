import { createHash } from 'node:crypto';

/** A strong entity tag of a response body (RFC 9110, 8.8.3). */
export const createEtag = (body: string): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

/** Whether an `If-None-Match` header names a tag; by weak comparison, as the RFC has it. */
export function matchesEtag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => {
    const candidate = each.trim();
    return candidate === '*' || candidate.replace(/^W\//, '') === tag;
  });
}

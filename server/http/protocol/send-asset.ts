import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asset, AssetStatus, AssetStore } from '../../assets/asset-store.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import { matchesEtag } from './etag.ts';

/** The state of a file that conditional requests refer to. */
type Version = { tag: string; modifiedAt: Date };

/** Sends an asset. Throws what `sendFile` throws, and `not_found`. */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  assets: AssetStore,
  asset: Asset,
): Promise<FastifyReply> {
  const status = await assets.stat(asset);
  if (!status) throw notFoundError('file');
  return sendFile(request, reply, status, (range) => assets.read(asset, range));
}

/**
 * Sends a file, or the byte range that was asked for, or 304 when the client has it already (RFC 9110, 13 and 14). Who asks for several
 * ranges gets the whole file, which the RFC allows.
 * Throws `range_not_satisfiable`, and `malformed_body` when a precondition fails.
 */
export function sendFile(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  { bytes, modifiedAt }: AssetStatus,
  read: (range?: { start: number; end: number }) => Readable,
): FastifyReply {
  const version = { tag: `"${bytes.toString(16)}-${modifiedAt.getTime().toString(16)}"`, modifiedAt };
  if (failsPrecondition(headers, version)) throw new ApiError('malformed_body', 'Precondition Failed');
  const isKnown = isNotModified(headers, version);
  const range = !isKnown && isForRange(headers, version) ? parseRange(headers.range, bytes) : null;
  void reply
    .header('Accept-Ranges', 'bytes')
    .header('Last-Modified', modifiedAt.toUTCString())
    .header('ETag', `W/${version.tag}`);
  if (isKnown) return reply.status(304).send();
  if (range) void reply.status(206).header('Content-Range', `bytes ${range.start}-${range.end}/${bytes}`);
  void reply.header('Content-Length', range ? range.end - range.start + 1 : bytes);
  // Fastify keeps the length of a HEAD response only where its body is a stream.
  return reply.send(method === 'HEAD' ? Readable.from([]) : read(range ?? undefined));
}

function failsPrecondition(headers: IncomingHttpHeaders, { tag, modifiedAt }: Version): boolean {
  const match = headers['if-match'];
  if (match !== undefined && !matchesEtag(match, tag)) return true;
  // HTTP dates are exact to the second.
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 > Date.parse(headers['if-unmodified-since'] ?? '');
}

function isNotModified(headers: IncomingHttpHeaders, { tag, modifiedAt }: Version): boolean {
  // A reload that goes around the caches.
  if (headers['cache-control']?.includes('no-cache')) return false;
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return matchesEtag(noneMatch, tag);
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= Date.parse(headers['if-modified-since'] ?? '');
}

/** Whether a range counts: with `If-Range` only while the file is the one that the client has a part of. */
function isForRange(headers: IncomingHttpHeaders, { tag, modifiedAt }: Version): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  if (condition.includes('"')) return condition.includes(tag);
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= Date.parse(condition);
}

/**
 * The range that a `Range` header asks for.
 * @param bytes length of the file
 * @returns first and last byte, both included; null: the whole file
 * Throws `range_not_satisfiable`.
 */
function parseRange(header: string | undefined, bytes: number): { start: number; end: number } | null {
  if (!header?.trimStart().startsWith('bytes=') || header.includes(',')) return null;
  const [, first = '', last = ''] = /^\s*bytes=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header) ?? [];
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if ((first === '' && last === '') || start > end) {
    throw new ApiError('range_not_satisfiable', 'The file is shorter than this range.', {
      headers: { 'Content-Range': `bytes */${bytes}` },
    });
  }
  return { start, end };
}

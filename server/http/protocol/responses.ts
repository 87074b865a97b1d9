import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Asset, AssetStatus, AssetStore } from '../../assets/asset-store.ts';
import { isSignatureValid } from '../../assets/asset-urls.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';

/** Smaller JSON gains little and costs the same work, bytes. */
const threshold = 1024;

/** At once up to this size, which takes a millisecond; larger bodies are streamed through a thread, which takes 3 ms more, bytes. */
const syncThreshold = 256 * 1024;

/**
 * Compresses the JSON of a scope's responses, by Brotli or gzip, whichever the client accepts. Call it before all routes of the scope.
 * Media files are compressed by themselves, and their byte ranges count bytes of the file, so nothing but JSON is compressed.
 *
 * Not for responses that hold a secret of a browser's session: where a foreign page can make the browser ask, with text of its own in
 * the response, the compressed length tells whether the text is part of the secret (BREACH, CVE-2013-3587). An API key is sent by no
 * browser on its own, so the API is safe; `/auth` and `/manage`, which go by the cookie and reveal keys, stay uncompressed.
 */
export async function compressJson(scope: FastifyInstance): Promise<void> {
  // Each response says so: no cache takes the plain form for that of every client.
  scope.addHook('onRequest', async (_request, reply) => void reply.header('Vary', 'accept-encoding'));
  await scope.register(compress, {
    threshold,
    syncThreshold,
    encodings: ['br', 'gzip'],
    customTypes: /^application\/json\b/,
    // 100 items: 113 kB become 22 kB in 0.5 ms; quality 4 takes 0.9 ms and saves 0.1 kB more.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } },
    // A compressed request could unfold to any size.
    globalDecompression: false,
  });
}

/**
 * A `Content-Disposition` that stores a file under a name (RFC 6266), which may hold anything: clients that read `filename*` (RFC 8187) get
 * it as it is, the others in ASCII.
 */
export function attachmentNamed(filename: string): string {
  const wellFormed = filename.toWellFormed();
  const ascii = wellFormed.replaceAll(/[^ -~]|["\\%/]/gu, '_');
  const encoded = encodeURIComponent(wellFormed).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

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
 * Sends a file, or the byte range that was asked for, or 304 when the client has it already (RFC 9110, 13 and 14). A request for several
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

/** Adds the headers that tell browsers what pages of this service may load. Call it before all routes. */
export async function addSecurityHeaders(app: FastifyInstance): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        // Checksums of files are computed by WebAssembly before they are sent.
        'script-src': ["'self'", "'wasm-unsafe-eval'"],
        // Data and media, never scripts, may come from another service that the dashboard is connected to.
        'connect-src': ["'self'", 'http:', 'https:'],
        'img-src': ["'self'", 'blob:', 'data:', 'http:', 'https:'],
        'media-src': ["'self'", 'blob:', 'http:', 'https:'],
        // Components place menus and progress bars by style attributes.
        'style-src': ["'self'", "'unsafe-inline'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
        'object-src': ["'none'"],
      },
    },
    // Plain HTTP on a local network is a normal way to run this service.
    strictTransportSecurity: false,
  });
}

/** Throws `forbidden` when the URL of a file is not signed, or its signature has expired. */
export function checkSignature(secrets: Secrets, { url, query }: Pick<FastifyRequest, 'url' | 'query'>): void {
  const { expires, signature } = query as { expires?: unknown; signature?: unknown };
  const pathname = url.split('?')[0] ?? '';
  if (typeof expires === 'string' && typeof signature === 'string') {
    if (isSignatureValid(secrets, pathname, expires, signature)) return;
  }
  throw new ApiError('forbidden', 'This URL has expired or was altered. Ask the API for a new one.');
}

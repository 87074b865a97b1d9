import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { S3Error } from './s3-error.ts';

/** What requests have to be signed with. */
export type S3Account = { accessKeyId: string; secretAccessKey: string; region: string };

/** A request whose clock differs by more is refused. */
const maxSkewMs = 15 * 60_000;

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** As RFC 3986 wants it, which `encodeURIComponent` does but for five characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.codePointAt(0)?.toString(16).toUpperCase()}`);

/**
 * Checks the signature of a request (AWS Signature Version 4, in the header or in the address). Throws what S3 answers: 403 for an unknown
 * key, a wrong secret, a wrong clock, an address that has expired; 400 for another region.
 */
export function checkSignature(request: IncomingMessage, body: Buffer, account: S3Account): void {
  const [rawPath = '', rawQuery = ''] = (request.url ?? '').split('?');
  const query = new URLSearchParams(rawQuery);
  const given = query.has('X-Amz-Signature') ? readAddress(query) : readHeader(request);
  const [accessKeyId, date = '', region, service] = given.scope;
  if (accessKeyId !== account.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId');
  if (region !== account.region) throw new S3Error(400, 'AuthorizationHeaderMalformed', account.region);
  checkTime(given);
  const pairs = [...query].filter(([name]) => name !== 'X-Amz-Signature');
  const canonical = [
    request.method,
    rawPath,
    pairs
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .toSorted()
      .join('&'),
    ...given.signedHeaders.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    given.signedHeaders.join(';'),
    given.payload,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', given.time, given.scope.slice(1).join('/'), sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${account.secretAccessKey}`, date), region), String(service)), 'aws4_request');
  if (hmac(key, text).toString('hex') !== given.signature) throw new S3Error(403, 'SignatureDoesNotMatch');
  if (/^[\da-f]{64}$/.test(given.payload) && given.payload !== sha256(body)) {
    throw new S3Error(400, 'XAmzContentSHA256Mismatch');
  }
}

type Signature = {
  /** Key, date, region, service and a constant. */
  scope: string[];
  signedHeaders: string[];
  signature: string;
  /** Such as `20261122T120000Z`. */
  time: string;
  /** How long an address is valid, seconds; null: the time of a request has to be now. */
  expires: number | null;
  /** SHA-256 of the body, or a word that says that it is not signed. */
  payload: string;
};

function readHeader({ headers }: IncomingMessage): Signature {
  const parts = /Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=(\w+)/.exec(headers.authorization ?? '');
  if (!parts) throw new S3Error(403, 'AccessDenied');
  const [, scope = '', signed = '', signature = ''] = parts;
  return {
    scope: scope.split('/'),
    signedHeaders: signed.split(';'),
    signature,
    time: String(headers['x-amz-date']),
    expires: null,
    payload: String(headers['x-amz-content-sha256']),
  };
}

const readAddress = (query: URLSearchParams): Signature => ({
  scope: String(query.get('X-Amz-Credential')).split('/'),
  signedHeaders: String(query.get('X-Amz-SignedHeaders')).split(';'),
  signature: String(query.get('X-Amz-Signature')),
  time: String(query.get('X-Amz-Date')),
  expires: Number(query.get('X-Amz-Expires')),
  payload: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
});

function checkTime({ time, expires }: Signature): void {
  const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (expires === null) {
    if (!(Math.abs(Date.now() - at) < maxSkewMs)) throw new S3Error(403, 'RequestTimeTooSkewed');
  } else if (!(Date.now() < at + expires * 1000)) {
    throw new S3Error(403, 'AccessDenied');
  }
}

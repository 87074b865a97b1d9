import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from './s3-error.ts';

export type StoredObject = {
  body: Buffer;
  /** With its quotation marks. */
  etag: string;
  at: Date;
  contentType: string;
  /** By default `STANDARD`. */
  storageClass?: string;
  /** Header fields `x-amz-meta-…`. */
  metadata: Record<string, string>;
};

/** An upload in parts that is not complete. */
export type OpenUpload = {
  key: string;
  parts: Map<number, { body: Buffer; etag: string }>;
  at: Date;
  about: Pick<StoredObject, 'contentType' | 'metadata'>;
};

export type BucketRequest = {
  method: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

export type BucketAnswer = { status?: number; headers?: Record<string, string | number>; body?: string | Buffer };

const md5 = (content: Buffer): Buffer => createHash('md5').update(content).digest();
const etagOf = (content: Buffer): string => `"${md5(content).toString('hex')}"`;

const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (each) => `&#${each.codePointAt(0)};`);
const tag = (name: string, value: string | number | boolean): string => `<${name}>${escape(String(value))}</${name}>`;
const document = (name: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`;
const unescape = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const readTags = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, content = '']) => unescape(content));

/**
 * A bucket in memory: what the asset store asks of S3, and no more. It refuses what S3 refuses: parts that are too small or unknown, keys
 * that are too long, ranges beyond the end.
 * @param options.pageSize most keys in a listing
 * @param options.minPartBytes least bytes of a part that is not the last
 */
export function createBucket({ pageSize, minPartBytes }: { pageSize: number; minPartBytes: number }) {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, OpenUpload>();
  const listings = createListings(objects, uploads, pageSize);

  function answer(request: BucketRequest): BucketAnswer {
    const { method, key, query, body, headers } = request;
    if (key === '') {
      if (method !== 'GET') throw new S3Error(501, 'NotImplemented');
      if (query.has('uploads')) return listings.uploads(query);
      return query.has('list-type') ? listings.objects(query) : {};
    }
    if (Buffer.byteLength(key) > 1024) throw new S3Error(400, 'KeyTooLongError');
    if (query.has('uploadId') || query.has('uploads')) return multipart({ objects, uploads, minPartBytes }, request);
    if (method === 'PUT') {
      objects.set(key, { body, etag: etagOf(body), at: new Date(), ...readAbout(headers) });
      return { headers: { etag: etagOf(body) } };
    }
    if (method === 'DELETE') {
      objects.delete(key);
      return { status: 204 };
    }
    if (method === 'GET') return read({ objects, uploads, minPartBytes }, request);
    throw new S3Error(501, 'NotImplemented');
  }

  return { objects, uploads, answer };
}

type Contents = { objects: Map<string, StoredObject>; uploads: Map<string, OpenUpload>; minPartBytes: number };

function multipart(
  { objects, uploads, minPartBytes }: Contents,
  { method, key, query, body, headers }: BucketRequest,
): BucketAnswer {
  if (query.has('uploads')) {
    const id = randomUUID();
    uploads.set(id, { key, parts: new Map(), at: new Date(), about: readAbout(headers) });
    return {
      body: document('InitiateMultipartUploadResult', tag('Bucket', 'b') + tag('Key', key) + tag('UploadId', id)),
    };
  }
  const id = String(query.get('uploadId'));
  const upload = uploads.get(id);
  if (upload?.key !== key) throw new S3Error(404, 'NoSuchUpload');
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), { body, etag: etagOf(body) });
    return { headers: { etag: etagOf(body) } };
  }
  if (method === 'POST') {
    const stored = complete(upload, body.toString(), minPartBytes);
    objects.set(key, stored);
    uploads.delete(id);
    return { body: document('CompleteMultipartUploadResult', tag('Key', key) + tag('ETag', stored.etag)) };
  }
  if (method !== 'DELETE') throw new S3Error(501, 'NotImplemented');
  uploads.delete(id);
  return { status: 204 };
}

function complete({ parts, about }: OpenUpload, list: string, minPartBytes: number): StoredObject {
  const etags = readTags(list, 'ETag');
  const chosen = readTags(list, 'PartNumber').map((number, i, all) => {
    const part = parts.get(Number(number));
    if (!part || part.etag.replaceAll('"', '') !== etags[i]?.replaceAll('"', '')) throw new S3Error(400, 'InvalidPart');
    if (i < all.length - 1 && part.body.length < minPartBytes) throw new S3Error(400, 'EntityTooSmall');
    return part;
  });
  const body = Buffer.concat(chosen.map((part) => part.body));
  const digest = md5(Buffer.concat(chosen.map((part) => md5(part.body)))).toString('hex');
  return { body, etag: `"${digest}-${chosen.length}"`, at: new Date(), ...about };
}

function read({ objects }: Contents, { key, headers, query }: BucketRequest): BucketAnswer {
  const found = objects.get(key);
  if (!found) throw new S3Error(404, 'NoSuchKey');
  const { body, etag, at, metadata } = found;
  if (headers['if-match'] !== undefined && headers['if-match'] !== etag) throw new S3Error(412, 'PreconditionFailed');
  const disposition = query.get('response-content-disposition');
  const caching = query.get('response-cache-control');
  const about = {
    etag,
    'last-modified': at.toUTCString(),
    'accept-ranges': 'bytes',
    'content-type': query.get('response-content-type') ?? found.contentType,
    ...metadata,
    ...(disposition !== null && { 'content-disposition': disposition }),
    ...(caching !== null && { 'cache-control': caching }),
  };
  const range = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  if (!range) return { headers: about, body };
  const [first, last] = [range[1] ?? '', range[2] ?? ''];
  const start = first === '' ? Math.max(0, body.length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? body.length - 1 : Math.min(Number(last), body.length - 1);
  if (start > end) throw new S3Error(416, 'InvalidRange');
  return {
    status: 206,
    headers: { ...about, 'content-range': `bytes ${start}-${end}/${body.length}` },
    body: body.subarray(start, end + 1),
  };
}

const readAbout = (headers: IncomingHttpHeaders): Pick<StoredObject, 'contentType' | 'metadata'> => ({
  contentType: headers['content-type'] ?? 'application/octet-stream',
  metadata: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith('x-amz-meta-'))
      .map(([name, value]) => [name, String(value)]),
  ),
});

function createListings(objects: Map<string, StoredObject>, uploads: Map<string, OpenUpload>, pageSize: number) {
  return {
    uploads(query: URLSearchParams): BucketAnswer {
      const prefix = query.get('prefix') ?? '';
      const rows = [...uploads]
        .filter(([, { key }]) => key.startsWith(prefix))
        .map(
          ([id, { key, at }]) =>
            `<Upload>${tag('Key', key)}${tag('UploadId', id)}${tag('Initiated', at.toISOString())}</Upload>`,
        );
      return { body: document('ListMultipartUploadsResult', rows.join('') + tag('IsTruncated', false)) };
    },

    objects(query: URLSearchParams): BucketAnswer {
      const prefix = query.get('prefix') ?? '';
      const delimiter = query.get('delimiter') ?? '';
      const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
      const limit = Math.min(pageSize, Number(query.get('max-keys') ?? pageSize));
      const encode = query.get('encoding-type') === 'url' ? encodeKey : (key: string) => key;
      const rows = new Map<string, string>();
      let last = '';
      let isTruncated = false;
      for (const key of [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).toSorted()) {
        const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
        const folder = cut < 0 ? null : key.slice(0, cut + 1);
        if (folder !== null && after.startsWith(folder)) continue;
        if (!rows.has(folder ?? key) && rows.size >= limit) {
          isTruncated = true;
          break;
        }
        last = key;
        rows.set(folder ?? key, folder === null ? describeObject(key, encode(key)) : describeFolder(encode(folder)));
      }
      const next = isTruncated ? tag('NextContinuationToken', last) : '';
      const encoding = query.has('encoding-type') ? tag('EncodingType', 'url') : '';
      const body = [...rows.values(), encoding, tag('KeyCount', rows.size), tag('IsTruncated', isTruncated), next].join(
        '',
      );
      return { body: document('ListBucketResult', body) };
    },
  };

  function describeObject(key: string, shown: string): string {
    const { body, etag, at, storageClass = 'STANDARD' } = objects.get(key) as StoredObject;
    const about = [
      tag('Size', body.length),
      tag('ETag', etag),
      tag('LastModified', at.toISOString()),
      tag('StorageClass', storageClass),
    ];
    return `<Contents>${tag('Key', shown)}${about.join('')}</Contents>`;
  }
}

/** As S3 encodes keys in listings. The characters U+F780 to U+F7FF stand for single bytes, of which no UTF-8 is made. */
const encodeKey = (key: string): string =>
  Array.from(key, (each) => {
    if (/[\w/.*-]/.test(each)) return each;
    if (each === ' ') return '+';
    return /[\uf780-\uf7ff]/.test(each)
      ? `%${(each.charCodeAt(0) & 0xff).toString(16).toUpperCase()}`
      : encodeURIComponent(each);
  }).join('');

const describeFolder = (folder: string): string => `<CommonPrefixes>${tag('Prefix', folder)}</CommonPrefixes>`;

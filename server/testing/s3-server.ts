import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { type BucketAnswer, createBucket, type OpenUpload, type StoredObject } from './s3/s3-bucket.ts';
import { S3Error } from './s3/s3-error.ts';
import { checkSignature, type S3Account } from './s3/s3-signature.ts';

/**
 * What goes wrong with a request. `lost answer`: it is done, and the connection breaks. `truncate`: half of the answer comes, then the
 * connection breaks; `stall`: then nothing more comes. `hang`: no answer comes at all. `200 error`: an error whose status is 200, which
 * S3 sends when completing an upload fails late.
 */
export type S3Fault =
  | '500'
  | 'slow down'
  | 'denied'
  | 'reset'
  | 'hang'
  | 'lost answer'
  | 'truncate'
  | 'stall'
  | 'corrupt answer'
  | 'corrupt upload'
  | '200 error';

export type S3Server = AsyncDisposable & {
  url: string;
  /** Settings for a service or a client that uses the bucket. */
  environment: Record<string, string>;
  /** What is stored, by key. */
  objects: Map<string, StoredObject>;
  /** Uploads in parts that are not complete, by identifier. */
  uploads: Map<string, OpenUpload>;
  /** Every request, in order. */
  log: { method: string; url: string; fault?: S3Fault }[];
  /** Lets requests fail. @param which by default the next one of any kind */
  inject(fault: S3Fault, which?: { method?: string; path?: RegExp; times?: number }): void;
  /** Ends all faults. */
  calm(): void;
};

type Rule = { fault: S3Fault; method: string | undefined; path: RegExp | undefined; times: number };

export const testAccount: S3Account = { accessKeyId: 'test', secretAccessKey: 'test-secret', region: 'us-east-1' };

/**
 * An S3 server for tests, in memory: what the asset store uses and no more, strict where S3 is, with faults. It refuses wrong signatures,
 * clocks, checksums and regions, as S3 does, and what old compatible stores refuse (bodies in signed chunks, deletion of many keys in one
 * request, conditional writes).
 *
 * By itself, for tests with several processes: `node server/testing/s3-server.ts [port]` prints its URL in one line and goes on until it is
 * ended. Bucket `media`, access key `test`, secret `test-secret`, region `us-east-1`.
 * @param options.pageSize most keys in a listing
 */
export async function startS3Server({
  port = 0,
  bucket: name = 'media',
  pageSize = 1000,
  minPartBytes = 5 * 2 ** 20,
  account = testAccount,
}: {
  port?: number;
  bucket?: string;
  pageSize?: number;
  minPartBytes?: number;
  account?: S3Account;
} = {}): Promise<S3Server> {
  const bucket = createBucket({ pageSize, minPartBytes });
  const rules: Rule[] = [];
  const log: S3Server['log'] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const rule = rules.find(
      (each) => each.times > 0 && (each.method ?? method) === method && (each.path?.test(url) ?? true),
    );
    if (rule) rule.times -= 1;
    log.push({ method, url, ...(rule && { fault: rule.fault }) });
    serve({ request, response, name, bucket, account, fault: rule?.fault }).catch((error: unknown) => {
      // The client has gone.
      if (!request.socket.destroyed) sendError(request, response, toS3Error(error));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    environment: {
      STORAGE_URL: `s3://${name}`,
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: account.region,
      AWS_ACCESS_KEY_ID: account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    },
    objects: bucket.objects,
    uploads: bucket.uploads,
    log,
    inject: (fault, { method, path, times = 1 } = {}) => void rules.push({ fault, method, path, times }),
    calm: () => void (rules.length = 0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  name: string;
  bucket: ReturnType<typeof createBucket>;
  account: S3Account;
  fault: S3Fault | undefined;
};

async function serve({ request, response, name, bucket, account, fault }: Exchange): Promise<void> {
  const blocks: Buffer[] = [];
  for await (const block of request as AsyncIterable<Buffer>) {
    blocks.push(block);
    if (fault === 'reset') return void request.socket.destroy();
  }
  if (fault === 'reset') return void request.socket.destroy();
  if (fault === 'hang') return;
  if (fault === '500') throw new S3Error(500, 'InternalError');
  if (fault === 'slow down') throw new S3Error(503, 'SlowDown');
  if (fault === 'denied') throw new S3Error(403, 'AccessDenied');
  if (fault === '200 error') throw new S3Error(200, 'InternalError');
  const body = Buffer.concat(blocks);
  // On the way, so before anything is checked.
  if (fault === 'corrupt upload') flipByte(body);
  checkSignature(request, body, account);
  const url = new URL(request.url ?? '', 'http://s3');
  const [, asked, ...rest] = url.pathname.split('/');
  if (asked !== name) throw new S3Error(404, 'NoSuchBucket');
  checkBody(request, body);
  const { method = '', headers } = request;
  const key = rest.map(decodeURIComponent).join('/');
  const answer = bucket.answer({
    method: method === 'HEAD' ? 'GET' : method,
    key,
    query: url.searchParams,
    headers,
    body,
  });
  if (fault === 'lost answer') return void request.socket.destroy();
  send(request, response, answer, fault);
}

/** Refuses bodies in forms that not every store knows, and those that differ from their checksum. */
function checkBody({ headers }: IncomingMessage, body: Buffer): void {
  const isChunked = /aws-chunked/.test(headers['content-encoding'] ?? '');
  if (isChunked || String(headers['x-amz-content-sha256']).startsWith('STREAMING'))
    throw new S3Error(501, 'NotImplemented');
  if (headers['if-none-match'] !== undefined) throw new S3Error(501, 'NotImplemented');
  const digests: Record<string, () => string> = {
    'content-md5': () => createHash('md5').update(body).digest('base64'),
    'x-amz-checksum-sha256': () => createHash('sha256').update(body).digest('base64'),
    'x-amz-checksum-crc32'() {
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(body));
      return sum.toString('base64');
    },
  };
  for (const [header, digest] of Object.entries(digests)) {
    if (headers[header] !== undefined && headers[header] !== digest()) throw new S3Error(400, 'BadDigest');
  }
}

function send(request: IncomingMessage, response: ServerResponse, answer: BucketAnswer, fault?: S3Fault): void {
  const content = Buffer.from(answer.body ?? '');
  response.writeHead(answer.status ?? 200, {
    'x-amz-request-id': randomUUID(),
    'content-length': content.length,
    ...answer.headers,
  });
  if (request.method === 'HEAD') return void response.end();
  const half = content.subarray(0, content.length >> 1);
  if (fault === 'truncate') return void response.write(half, () => request.socket.destroy());
  if (fault === 'stall') return void response.write(half);
  if (fault === 'corrupt answer') flipByte(content);
  response.end(content);
}

const flipByte = (content: Buffer): void => {
  if (content.length > 0) content.writeUInt8(content.readUInt8(content.length >> 1) ^ 0xff, content.length >> 1);
};

const toS3Error = (error: unknown): S3Error => (error instanceof S3Error ? error : new S3Error(500, 'InternalError'));

function sendError(request: IncomingMessage, response: ServerResponse, { status, code, region }: S3Error): void {
  const details = `<Code>${code}</Code><Message>${code}</Message>${region === undefined ? '' : `<Region>${region}</Region>`}`;
  const type = { 'content-type': 'application/xml', connection: 'close' };
  response.writeHead(status, { ...type, ...(region !== undefined && { 'x-amz-bucket-region': region }) });
  response.end(request.method === 'HEAD' ? '' : `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${details}</Error>`);
}

if (import.meta.main) {
  const { url } = await startS3Server({ port: Number(process.argv[2] ?? 0) });
  console.log(url);
}

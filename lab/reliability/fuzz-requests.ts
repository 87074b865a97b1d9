import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { checkResponse } from '../../server/testing/openapi-checker.ts';
import { createTestClient } from '../../server/testing/running-service.ts';
import { startCampaign } from './campaign/campaign.ts';
import type { FuzzedRequest, Identity } from './campaign/fuzz-context.ts';
import { describeTargets, drawRequest } from './campaign/fuzzed-request.ts';
import { findInternals } from './campaign/internals.ts';
import { exchange, NoResponseError, type RawResponse, serializeRequest } from './campaign/raw-http.ts';
import type { KnownValues } from './campaign/schema-values.ts';
import { adminOutput, campaignSettings, createWorkspaceKey, startServiceProcess } from './campaign/service-process.ts';

/**
 * Sends requests that are generated from the service's own OpenAPI documents, right, at the borders, and hostile, and holds every answer
 * against the documents.
 *
 *     npm run node -- lab/reliability/fuzz-requests.ts [--seed n] [--rounds n] [--seconds n]
 *
 * Violations: no response in time, a response that does not match its schema, status 500, internals in a message, a request from the service to
 * this machine, a secret in the log, a service that is not healthy afterwards.
 */

const campaign = startCampaign('fuzz-requests', { rounds: 5000, seconds: 600 });
const { count, violation, integer } = campaign;

await using folder = await temporaryFolder();
const dataDirectory = folder.file('data');
// The service must not send requests to this machine, whatever URL it gets (SSRF).
let canaryRequests = 0;
const canary = createServer((_, response) => {
  canaryRequests += 1;
  response.end('canary');
}).listen(0, '127.0.0.1');
const canaryAddress = canary.address();
const canaryPort = typeof canaryAddress === 'object' && canaryAddress ? canaryAddress.port : 0;

/** What an answer may take, also on a machine that runs the tests beside. */
const answerMilliseconds = 30_000;

/** A response that breaks a rule of this campaign. */
class UnexpectedResponse extends Error {
  readonly kind: string;

  constructor(kind: string, detail: string) {
    super(detail);
    this.kind = kind;
  }
}

const service = await startServiceProcess({
  ...campaignSettings,
  DATA_DIR: dataDirectory,
  MAX_UPLOAD_BYTES: String(2 ** 20),
  LOG_LEVEL: 'info',
});
const firstKey = await createWorkspaceKey(dataDirectory);
const identity: Identity = { key: firstKey, cookie: '' };
const secrets = new Set([firstKey]);
const files = await makeSeedFiles();
const known: KnownValues = { identifiers: [], checksums: [] };
await fillWorkspace();
// The first search loads the models, which says nothing about what the requests do to the service.
await createTestClient(service.url, firstKey).search('red');
const targets = describeTargets(service.url);
let signInCount = 0;

for (const round of campaign.rounds()) {
  if (identity.cookie === '') await signIn();
  // Failed sign-ins are limited per IP address.
  const from = `127.0.1.${1 + (integer(200) % 200)}`;
  const request = drawRequest(targets, { campaign, known, identity, files, canaryPort });
  await send(request, from, round);
  if (round % 500 === 499) await checkHealth();
}
await checkHealth();
if (canaryRequests > 0)
  violation('request to this machine', `${canaryRequests} requests reached a port of this machine`);
const status = await service.stop();
if (status !== '0') violation('end', `The service ended with ${status} when it was stopped.`);
for (const secret of secrets) if (service.log().includes(secret)) violation('secret in the log', secret.slice(0, 12));
if (/signature=[\w-]{8}|[?&]token=[\w-]{8}/.test(service.log())) violation('secret in the log', 'a signature or token');
canary.close();
campaign.report();

async function send(request: FuzzedRequest, from: string, round: number): Promise<void> {
  count('requests');
  count(`requests: ${request.kind}`);
  const describe = () => `round ${round}: ${request.kind} ${request.method} ${request.target.slice(0, 200)}`;
  let response: RawResponse;
  try {
    const bytes = request.bytes ?? serializeRequest(request, service.port);
    response = await exchange(service.port, bytes, {
      from,
      milliseconds: request.incomplete ? 300 : answerMilliseconds,
    });
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    if (request.incomplete) return count('incomplete requests without an answer');
    if (service.exitStatus() !== null)
      throw new Error(`${describe()} ended the service with ${service.exitStatus()}: ${service.log().slice(-4000)}`, {
        cause: error,
      });
    // A body beyond the limit may be refused by closing before it has all been sent.
    if (error.reason === 'closed' && request.mayCloseEarly) return count('requests closed without an answer');
    return violation(`no answer: ${error.reason}`, `${describe()} ${error.message}`);
  }
  count(`status ${response.status}`);
  try {
    checkAnswer(request, response);
  } catch (error) {
    const kind = error instanceof UnexpectedResponse ? error.kind : 'not as described';
    violation(kind, `${describe()}: ${(error as Error).message.slice(0, 600)}`);
  }
}

/** Holds an answer against the documents; throws what is wrong with it. */
function checkAnswer(request: FuzzedRequest, { status, headers, body }: RawResponse): void {
  const text = decompress(body, headers.get('Content-Encoding')).toString('utf8');
  if (status === 500) throw new UnexpectedResponse('status 500', `${text}\n${lastErrorInLog()}`);
  const length = headers.get('Content-Length');
  if (request.method !== 'HEAD' && status !== 304 && length !== null && Number(length) !== body.length) {
    throw new UnexpectedResponse('length', `Content-Length is ${length}, the body has ${body.length} bytes`);
  }
  if (!headers.get('X-Request-Id')) throw new UnexpectedResponse('no X-Request-Id', String(status));
  if (request.method === 'HEAD' || request.method === 'OPTIONS') return;
  const isJson = headers.get('Content-Type')?.startsWith('application/json') ?? false;
  // Pages of the dashboard and the reference, and media.
  if (!isJson && status < 400 && request.kind === 'unknown path') return;
  const isImage = status < 400 && (headers.get('Content-Type')?.startsWith('image/') ?? false);
  if (!isJson && !isImage && status !== 304 && !headers.has('Content-Disposition')) {
    throw new UnexpectedResponse('no envelope', `${status} as ${headers.get('Content-Type')}: ${text.slice(0, 200)}`);
  }
  const parsed = !isJson ? undefined : (JSON.parse(text) as { error?: { message: string; details?: unknown } });
  const response = new Response(null, { status, headers });
  // Where it is not certain which operation a path names, its answer may be any of this API's refusals.
  if (request.path !== null || status >= 400) {
    checkResponse(request.method, `${service.url}${request.path ?? '/nothing'}`, response, parsed);
  }
  if (parsed?.error) {
    // What the client wrote may be repeated.
    const said = JSON.stringify(parsed.error).replaceAll(request.target.split('?')[0] ?? '', '');
    const found = findInternals(said);
    if (found !== undefined) throw new UnexpectedResponse('internals in a message', `${found}: ${said.slice(0, 300)}`);
  } else {
    rememberIdentifiers(parsed);
  }
  // The fuzzer signs itself out, and revokes its own keys.
  if (status === 401 && request.kind === 'valid') identity.cookie = '';
}

/** A body as its `Content-Encoding` says: the fuzzer asks for compressed answers too. */
function decompress(body: Buffer, encoding: string | null): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'br') return brotliDecompressSync(body);
  if (encoding === 'gzip') return gunzipSync(body);
  return body;
}

/** Identifiers, so that later requests name what exists. */
function rememberIdentifiers(value: unknown): void {
  const text = JSON.stringify(value) ?? '';
  const ids = text.match(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g) ?? [];
  known.identifiers = [...new Set([...ids, ...known.identifiers])].slice(0, 60);
  for (const [secret] of text.matchAll(/service_[\w-]{43}/g)) secrets.add(secret);
}

const lastErrorInLog = (): string =>
  service
    .log()
    .split('\n')
    .findLast((line) => line.includes('"level":50'))
    ?.slice(0, 1500) ?? '';

/** Signs in by a link; the fuzzer signs out, revokes keys and leaves workspaces. */
async function signIn(): Promise<void> {
  const link = new URL(await adminOutput(dataDirectory, 'sign-in-link'));
  signInCount += 1;
  const from = `127.0.2.${1 + (signInCount % 250)}`;
  const token = link.searchParams.get('token') ?? '';
  secrets.add(token);
  const post = async (target: string, body: object) => {
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Cookie', identity.cookie],
    ];
    const bytes = serializeRequest(
      { method: 'POST', target, headers, body: Buffer.from(JSON.stringify(body)) },
      service.port,
    );
    const response = await exchange(service.port, bytes, { from });
    if (response.status >= 300) violation('sign-in', `${target} ${response.status}: ${response.body.toString()}`);
    const cookie = response.headers.get('Set-Cookie')?.split(';')[0];
    if (cookie !== undefined) identity.cookie = cookie;
    return JSON.parse(response.body.toString()) as { data: { key?: string; workspace?: { api_key: string | null } } };
  };
  const session = await post('/auth/sign-in', { token });
  count('signed in again');
  identity.key = session.data.workspace?.api_key ?? (await post('/manage/api-keys', {})).data.key ?? '';
  secrets.add(identity.key);
}

async function checkHealth(): Promise<void> {
  if (service.exitStatus() !== null)
    throw new Error(`The service ended with ${service.exitStatus()}: ${service.log().slice(-4000)}`);
  await signIn();
  const client = createTestClient(service.url, identity.key);
  const began = performance.now();
  const workspace = await client.get('/workspace');
  const search = await client.search('red');
  if (workspace.status !== 200 || search.status !== 200) {
    violation('health', `GET /workspace gives ${workspace.status}, a search ${search.status}.`);
  }
  if (performance.now() - began > answerMilliseconds) {
    violation('health', `Two light requests took more than ${answerMilliseconds / 1000} s.`);
  }
  count('health checks');
  if (known.identifiers.length < 5) await fillWorkspace();
}

async function fillWorkspace(): Promise<void> {
  const client = createTestClient(service.url, identity.key);
  for (const name of ['photo.png', 'video.mp4']) {
    const { data } = await client.upload(folder.file(name));
    const item = await client.waitUntilIndexed(data.id);
    known.checksums.push(item.sha256 ?? '');
    rememberIdentifiers(item);
    rememberIdentifiers((await client.get(`/media/${item.id}/chunks`)).data);
  }
  rememberIdentifiers((await client.post('/creators', { name: `Creator ${integer(1e9)}` })).data);
}

async function makeSeedFiles(): Promise<{ photo: Buffer; video: Buffer }> {
  const [photo, video] = [folder.file('photo.png'), folder.file('video.mp4')];
  await makePhoto(photo, plain(200, 30, 30), { width: 64, height: 48 });
  await makeVideo(video, { scenes: [{ paint: plain(20, 30, 200), seconds: 1 }], width: 64, height: 48 });
  return { photo: await readFile(photo), video: await readFile(video) };
}

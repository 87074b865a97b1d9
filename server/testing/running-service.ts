import { openAsBlob } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { basePath } from '../../contract/base-path.ts';
import type { MediaItem } from '../../contract/media.ts';
import type { SearchHit, SearchMeta } from '../../contract/search.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { readBucketAccess } from '../assets/storage-settings.ts';
import { revealApiKey } from '../catalog/accounts/api-keys.ts';
import { createSignInToken } from '../catalog/accounts/sessions.ts';
import { createWorkspace, listWorkspaces } from '../catalog/accounts/workspaces.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import { type Service, startService } from '../service.ts';
import type { Settings } from '../settings.ts';
import { copyEmptyCatalog, openEmptyDatabase } from './fresh-catalog.ts';
import { checkResponse } from './openapi-checker.ts';

export const testSettings = (dataDirectory: string): Settings => ({
  role: 'all',
  drainSeconds: 0,
  secretKeyFile: path.join(dataDirectory, 'secret.key'),
  host: '127.0.0.1',
  port: 0,
  dataDirectory,
  databaseUrl: null,
  publicUrl: null,
  mapTiles: null,
  embedder: 'descriptors',
  // Reading takes longer than indexing: the tests that are about it turn it on.
  ocr: 'off',
  speech: 'off',
  // Nothing answers there: a test that wants a hub starts one.
  modelHub: 'http://127.0.0.1:9',
  storage: null,
  bucketAccess: readBucketAccess({}),
  visionModel: null,
  workers: 1,
  sources: [],
  sourceRoots: [],
  maxUploadBytes: 64 * 2 ** 20,
  maxVideoSeconds: 86_400,
  maxVideoFrames: 5_184_000,
  searchMemory: 2 ** 30,
  requestsPerMinute: 0,
  allowedAddresses: [],
  trustedProxies: [],
  logLevel: 'error',
});

export type ApiResponse<Data = unknown, Meta = unknown> = {
  status: number;
  headers: Headers;
  success: boolean;
  data: Data;
  meta: Meta;
  error: { code: string; message: string; details?: { path: string; message: string }[] };
};

/** Asks and holds the answer against the OpenAPI documents. */
async function sendChecked<Data, Meta = unknown>(url: string, init: RequestInit): Promise<ApiResponse<Data, Meta>> {
  const response = await fetch(url, init);
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Omit<ApiResponse<Data, Meta>, 'status' | 'headers'>;
  checkResponse(init.method ?? 'GET', url, response, body);
  return { ...body, status: response.status, headers: response.headers };
}

const jsonRequest = (method: string, body: unknown, headers: Record<string, string> = {}) => ({
  method,
  headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) } as Record<
    string,
    string
  >,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

/**
 * A browser that may be signed in to the dashboard: fetch and a cookie.
 * @param cookie what an earlier browser had, to begin with
 */
export function createTestBrowser(url: string, cookie = '') {
  let current = cookie;
  async function send<Data>(method: string, path: string, body?: unknown): Promise<ApiResponse<Data>> {
    const { headers, ...init } = jsonRequest(method, body);
    const answer = await sendChecked<Data>(`${url}${path}`, {
      ...init,
      headers: { ...headers, ...(current === '' ? {} : { cookie: current }) },
    });
    const given = answer.headers.get('set-cookie');
    if (given !== null) current = given.split(';')[0] ?? '';
    return answer;
  }
  return {
    get: <Data>(path: string) => send<Data>('GET', path),
    post: <Data>(path: string, body?: unknown) => send<Data>('POST', path, body),
    patch: <Data>(path: string, body: unknown) => send<Data>('PATCH', path, body),
    delete: <Data>(path: string) => send<Data>('DELETE', path),
    cookie: () => current,
  };
}

export type TestBrowser = ReturnType<typeof createTestBrowser>;

/** A client of a running service, as a script would be one: fetch and an API key. */
export function createTestClient(url: string, key: string) {
  async function call<Data, Meta = unknown>(path: string, init: RequestInit = {}): Promise<ApiResponse<Data, Meta>> {
    return sendChecked<Data, Meta>(`${url}${basePath}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string> | undefined) },
    });
  }

  const client = {
    call,
    post: <Data, Meta = unknown>(path: string, body: unknown, headers: Record<string, string> = {}) =>
      call<Data, Meta>(path, jsonRequest('POST', body, headers)),
    patch: <Data>(path: string, body: unknown) => call<Data>(path, jsonRequest('PATCH', body)),
    delete: <Data>(path: string) => call<Data>(path, { method: 'DELETE' }),
    get: <Data, Meta = unknown>(path: string) => call<Data, Meta>(path),
    search: (query: string, more = '') =>
      call<SearchHit[], SearchMeta>(`/media/search?q=${encodeURIComponent(query)}${more}`),
    async upload(file: string, filename = path.basename(file), fields: Record<string, string> = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('file', await openAsBlob(file), filename);
      return call<MediaItem, { duplicate?: boolean }>('/media/upload', { method: 'POST', body: form });
    },
    /** Polls an item until it is indexed or failed, less and less often: each request takes processor time from the indexing. */
    async waitUntilIndexed(id: string): Promise<MediaItem> {
      for (let waited = 0, pause = 25; waited < 100_000; waited += pause, pause = Math.min(pause * 1.3, 200)) {
        const { data } = await client.get<MediaItem>(`/media/${id}`);
        if (data.status === 'complete' || data.status === 'error') return data;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      throw new Error(`The item ${id} did not settle.`);
    },
  };
  return client;
}

export type TestClient = ReturnType<typeof createTestClient>;

/** Starts the real service on a data folder that outlives it; `await using` stops it. Quicker than the program `main` by the start of a process. */
export async function startServiceOn(
  dataDirectory: string,
  changes: Partial<Settings> = {},
): Promise<AsyncDisposable & Service & { key: string; client: TestClient; workspaceId: string }> {
  // A change of the folder counts for what is in it, too.
  const service = await startService({ ...testSettings(changes.dataDirectory ?? dataDirectory), ...changes });
  const [workspace] = await listWorkspaces(service.db);
  const key = workspace && (await revealApiKey(service.db, service.secrets, workspace.id));
  if (!key) throw new Error('The first workspace has no key.');
  return {
    ...service,
    key,
    client: createTestClient(service.url, key),
    workspaceId: workspace.id,
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

/**
 * Starts the real service on a data folder that holds nothing but an empty catalog; `await using` stops it and removes the folder.
 * @param changes such as `workers: 0` for a test that indexes nothing: the start of a process is most of what such a test costs
 */
export async function startTestService(changes: Partial<Settings> = {}): Promise<
  AsyncDisposable &
    Service & {
      key: string;
      client: TestClient;
      workspaceId: string;
      folder: string;
      /** The variables by which `admin` finds its data. */
      environment: Record<string, string>;
      /** Makes another workspace, with its key and a client that has it. */
      addWorkspace(name: string, owner?: string): Promise<{ id: string; key: string; client: TestClient }>;
      /** A new link that signs the owner of the first workspace, or of another, in. */
      signInLink(workspaceId?: string): Promise<string>;
      /** A browser in which the owner of the first workspace, or of another, is signed in. */
      signIn(workspaceId?: string): Promise<TestBrowser>;
    }
> {
  const folder = await temporaryFolder();
  const database = await openServiceDatabase();
  const settings = { ...database.settings, ...changes };
  const dataDirectory = path.join(folder.path, 'data');
  if (!settings.databaseUrl && settings.dataDirectory === undefined) {
    await mkdir(dataDirectory, { mode: 0o700 });
    await copyEmptyCatalog(catalogFile(dataDirectory));
  }
  const service = await startServiceOn(dataDirectory, settings);
  return {
    ...service,
    folder: folder.path,
    environment: {
      DATA_DIR: settings.dataDirectory ?? dataDirectory,
      ...(settings.databaseUrl ? { DATABASE_URL: settings.databaseUrl } : {}),
    },
    async addWorkspace(name, owner = `Owner of ${name}`) {
      const { id } = await createWorkspace(service.db, service.secrets, { workspace: name, owner });
      const key = (await revealApiKey(service.db, service.secrets, id)) ?? '';
      return { id, key, client: createTestClient(service.url, key) };
    },
    signInLink: async (workspaceId = service.workspaceId) =>
      `${service.url}/sign-in?token=${await createSignInToken(service.db, workspaceId)}`,
    async signIn(workspaceId = service.workspaceId) {
      const browser = createTestBrowser(service.url);
      await browser.post('/auth/sign-in', { token: await createSignInToken(service.db, workspaceId) });
      return browser;
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      await database[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/**
 * The database of a service for a test, as settings: none where its catalog is a file. `TEST_BACKEND=postgres` runs all tests of the service over
 * the server of `TEST_DATABASE_URL`, except those that choose. A test that starts the service again gives them to `startServiceOn` each time.
 */
export async function openServiceDatabase(): Promise<AsyncDisposable & { settings: Partial<Settings> }> {
  // oxlint-disable-next-line node/no-process-env -- a setting of the tests, not of the service
  if (process.env['TEST_BACKEND'] !== 'postgres') return { settings: {}, [Symbol.asyncDispose]: async () => undefined };
  const database = await openEmptyDatabase();
  return {
    settings: { databaseUrl: database.url },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

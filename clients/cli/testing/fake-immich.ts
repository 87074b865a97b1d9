import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from '../../typescript/testing/serve.ts';

/**
 * A server that answers as the OpenAPI documents of Immich say, as far as an import asks: API keys, search with pages, albums, tags, originals with
 * ranges, errors. See https://api.immich.app and `@immich/sdk`.
 */

type Visibility = 'timeline' | 'archive' | 'hidden' | 'locked';

/** A photo or video of the fake; what is left out is usual. */
export type FakeAsset = {
  id?: string;
  name: string;
  bytes: Buffer;
  ownerId?: string;
  path?: string;
  /** RFC 3339 in UTC. */
  createdAt?: string;
  /** The local clock time as if it were UTC. */
  localAt?: string;
  timeZone?: string | null;
  visibility?: Visibility;
  isFavorite?: boolean;
  isTrashed?: boolean;
  rating?: number;
  description?: string;
  people?: { name: string; isHidden?: boolean }[];
  /** Full paths of its tags. */
  tags?: string[];
  albums?: string[];
  motionId?: string;
  /** In an external library, whose files are known by their paths. */
  isExternal?: boolean;
  /** Bytes of another file, that a damaged disk gives. */
  servedBytes?: Buffer;
};

type Stored = Required<Omit<FakeAsset, 'motionId' | 'servedBytes'>> & Pick<FakeAsset, 'motionId' | 'servedBytes'>;

/** What goes wrong with the next request whose path has this: a status, or after so many bytes the connection breaks, or is silent. */
type Fault = { path: string; status?: number; retryAfter?: number; afterBytes?: number; silent?: boolean };

export const fakeKey = 'immich-key-1234';

/** @param pageSize the most of a page, so that few assets are several pages */
export async function startFakeImmich({ version = '2.2.3', pageSize = 1000 } = {}) {
  const owner = { id: randomUUID(), name: 'Ana' };
  const assets: Stored[] = [];
  const albums: { id: string; name: string; description: string; createdAt: string }[] = [];
  const tags = new Map<string, string>();
  const faults: Fault[] = [];
  const requests: { method: string; path: string; range: string | undefined }[] = [];
  const forbidden = new Set<string>();

  const fake = { version, pageSize, owner, assets, albums, tags, faults, requests, forbidden };
  const server = await serve(
    (request, response) => void answer(fake, request, response).catch(() => response.destroy()),
  );
  return {
    ...server,
    url: server.url,
    owner,
    faults,
    requests,
    /** Permissions that the key lacks. */
    forbidden,
    assets,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    addAlbum(name: string, description = ''): string {
      const id = randomUUID();
      const createdAt = new Date(Date.UTC(2020, 0, 1 + albums.length)).toISOString();
      albums.push({ id, name, description, createdAt });
      return id;
    },
    add(given: FakeAsset): string {
      const asset = toStored(given, owner.id, assets.length);
      assets.push(asset);
      // A tag exists with those above it.
      for (const tag of asset.tags)
        for (const [i] of tag.split('/').entries()) {
          const value = tag
            .split('/')
            .slice(0, i + 1)
            .join('/');
          if (!tags.has(value)) tags.set(value, randomUUID());
        }
      return asset.id;
    },
    /** How often originals were asked for. */
    downloads: () => requests.filter(({ path }) => path.endsWith('/original')),
  };
}

export type FakeImmich = Awaited<ReturnType<typeof startFakeImmich>>;

type Fake = Pick<FakeImmich, 'assets' | 'faults' | 'forbidden' | 'owner' | 'requests'> & {
  version: string;
  pageSize: number;
  albums: { id: string; name: string; description: string; createdAt: string }[];
  tags: Map<string, string>;
};

function toStored(given: FakeAsset, ownerId: string, number: number): Stored {
  const { id = randomUUID(), createdAt = new Date(Date.UTC(2024, 0, 1, 0, number)).toISOString() } = given;
  return {
    ownerId,
    path: `/usr/src/app/upload/library/admin/${id}`,
    localAt: createdAt,
    timeZone: null,
    visibility: 'timeline',
    isFavorite: false,
    isTrashed: false,
    rating: 0,
    description: '',
    people: [],
    tags: [],
    albums: [],
    isExternal: false,
    ...given,
    id,
    createdAt,
  };
}

const send = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));

const refuse = (response: ServerResponse, statusCode: number, error: string, message: string) =>
  send(response, statusCode, { message, error, statusCode, correlationId: 'abc' });

async function answer(fake: Fake, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { pathname } = new URL(request.url ?? '', 'http://immich');
  const [path, method] = [pathname.replace(/^\/api/, ''), request.method ?? 'GET'];
  fake.requests.push({ method, path, range: request.headers.range });
  const position = fake.faults.findIndex((each) => path.includes(each.path));
  const [fault] = position === -1 ? [] : fake.faults.splice(position, 1);
  if (fault?.status !== undefined) {
    if (fault.retryAfter !== undefined) response.setHeader('Retry-After', fault.retryAfter);
    return refuse(response, fault.status, 'Error', 'Something went wrong');
  }
  const [major = 0, minor = 0, patch = 0] = fake.version.split('.').map(Number);
  if (!pathname.startsWith('/api/')) return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
  if (path === '/server/version') return send(response, 200, { major, minor, patch });
  if (request.headers['x-api-key'] !== fakeKey) return refuse(response, 401, 'Unauthorized', 'Invalid API key');
  const original = /^\/assets\/([\da-f-]{36})\/original$/.exec(path);
  const permission = original ? 'asset.download' : permissions[path];
  if (permission === undefined) return refuse(response, 404, 'Not Found', `Cannot ${method} ${pathname}`);
  if (fake.forbidden.has(permission))
    return refuse(response, 403, 'Forbidden', `Missing required permission: ${permission}`);
  if (original) return sendOriginal(fake, original[1] ?? '', request, response, fault);
  if (path === '/users/me') return send(response, 200, { ...fake.owner, email: 'ana@example.org', isAdmin: true });
  if (path === '/albums')
    return send(
      response,
      200,
      fake.albums.map((album) => toAlbum(album, major)),
    );
  if (path === '/tags')
    return send(
      response,
      200,
      [...fake.tags].map(([value, id]) => ({ id, value, name: value.split('/').at(-1) })),
    );
  // As Nest does: a body of another type is none.
  const isJson = request.headers['content-type'] === 'application/json';
  return search(fake, isJson ? ((await json(request)) as Search) : {}, response);
}

const permissions: Record<string, string> = {
  '/users/me': 'user.read',
  '/albums': 'album.read',
  '/tags': 'tag.read',
  '/search/metadata': 'asset.read',
};

/** Albums have their assets, and their owner, until version 3. */
const toAlbum = ({ name, ...album }: Fake['albums'][number], major: number) => ({
  ...album,
  albumName: name,
  albumUsers: [],
  assetCount: 1,
  shared: false,
  hasSharedLink: false,
  isActivityEnabled: true,
  ...(major < 3 ? { assets: [], ownerId: randomUUID() } : {}),
});

type Search = {
  visibility?: Visibility;
  albumIds?: string[];
  tagIds?: string[];
  takenAfter?: string;
  order?: 'asc' | 'desc';
  page?: number;
  size?: number;
  withExif?: boolean;
  withPeople?: boolean;
};

function search(fake: Fake, query: Search, response: ServerResponse): unknown {
  const { visibility, albumIds = [], tagIds = [], takenAfter, order = 'desc', page = 1, size = 250 } = query;
  if (size > 1000) return refuse(response, 400, 'Bad Request', 'size must not be greater than 1000');
  const wanted = [...fake.tags].flatMap(([value, id]) => (tagIds.includes(id) ? [value] : []));
  const found = fake.assets
    .filter(
      (asset) =>
        !asset.isTrashed &&
        (visibility === undefined ? asset.visibility !== 'locked' : asset.visibility === visibility) &&
        albumIds.every((id) => asset.albums.includes(id)) &&
        wanted.every((tag) => asset.tags.some((each) => each === tag || each.startsWith(`${tag}/`))) &&
        (takenAfter === undefined || Date.parse(asset.createdAt) >= Date.parse(takenAfter)),
    )
    // What has the same time is in no order, from one request to the next.
    .map((asset) => ({ asset, key: Date.parse(asset.createdAt) + Math.random() / 2 }))
    .toSorted((a, b) => (order === 'asc' ? a.key - b.key : b.key - a.key))
    .map(({ asset }) => asset);
  const length = Math.min(size, fake.pageSize);
  const items = found.slice((page - 1) * length, page * length);
  const hasNext = found.length > page * length;
  return send(response, 200, {
    albums: { total: 0, count: 0, items: [], facets: [] },
    assets: {
      total: items.length,
      count: items.length,
      items: items.map((asset) => toAnswer(asset, query, fake.version)),
      facets: [],
      nextPage: hasNext ? String(page + 1) : null,
    },
  });
}

const sha1 = (bytes: string | Buffer) => createHash('sha1').update(bytes).digest('base64');

function toAnswer(asset: Stored, { withExif, withPeople }: Search, version: string) {
  const { id, ownerId, name, path, createdAt, localAt, isExternal, visibility, description, timeZone } = asset;
  return {
    id,
    ownerId,
    type: 'IMAGE',
    thumbhash: null,
    originalPath: path,
    originalFileName: name,
    checksum: sha1(isExternal ? `path:${path}` : asset.bytes),
    libraryId: isExternal ? randomUUID() : null,
    createdAt,
    fileCreatedAt: createdAt,
    fileModifiedAt: createdAt,
    updatedAt: createdAt,
    localDateTime: localAt,
    isFavorite: asset.isFavorite,
    isArchived: visibility === 'archive',
    isTrashed: false,
    isOffline: false,
    hasMetadata: true,
    visibility,
    livePhotoVideoId: asset.motionId ?? null,
    duration: version.startsWith('3') ? null : '0:00:00.00000',
    people: withPeople
      ? asset.people.map(({ name: person, isHidden = false }) => ({
          id: randomUUID(),
          name: person,
          birthDate: null,
          thumbnailPath: '',
          isHidden,
        }))
      : [],
    ...(withExif
      ? {
          exifInfo: {
            fileSizeInByte: asset.bytes.length,
            description,
            timeZone,
            rating: asset.rating || null,
            dateTimeOriginal: createdAt,
          },
        }
      : {}),
  };
}

function sendOriginal(
  fake: Fake,
  id: string,
  { headers }: IncomingMessage,
  response: ServerResponse,
  { afterBytes, silent = false }: Partial<Fault> = {},
): unknown {
  const asset = fake.assets.find((each) => each.id === id);
  if (!asset) return refuse(response, 400, 'Bad Request', 'Not found or no asset.download access');
  const whole = asset.servedBytes ?? asset.bytes;
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (from > 0 && from >= whole.length)
    return response.writeHead(416, { 'Content-Range': `bytes */${whole.length}` }).end();
  const part = whole.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(asset.name)}`,
    'Accept-Ranges': 'bytes',
    'Content-Length': part.length,
    ...(from > 0 ? { 'Content-Range': `bytes ${from}-${whole.length - 1}/${whole.length}` } : {}),
  });
  if (afterBytes === undefined) return response.end(part);
  return response.write(part.subarray(0, afterBytes), () => silent || response.destroy());
}

import { createHash } from 'node:crypto';
import { CommandError } from '../../failures.ts';
import { albums, assetPage, type AssetAnswer, read, tags, user, version } from './answers.ts';
import type { ImmichServer } from './server.ts';
import { toTaken } from './taken.ts';

/** A photo or video of an Immich library. */
export type Asset = {
  id: string;
  name: string;
  /** Where Immich has its original. */
  path: string;
  /** Bytes; null: Immich does not know. */
  size: number | null;
  /** SHA-1 of the original, hexadecimal; null: Immich has not read it, as in its external libraries. */
  sha1: string | null;
  /** Changes when the original is replaced. */
  version: string;
  /** Stars, 1 to 5; 0: none. */
  rating: number;
  description: string;
  /** When it was recorded, as `PATCH /media/:id` takes it; null: unknown. */
  taken: string | null;
  isArchived: boolean;
  /** Names of the people in it. */
  people: string[];
};

/** An album, or a tag with those below it. */
type Group = { id: string; name: string; description: string; assets: Set<string> };

export type Library = {
  owner: { id: string; name: string };
  /** The earliest first. */
  assets: Asset[];
  albums: Group[];
  tags: Group[];
  /** Moving parts of live photos, among the assets. */
  motions: number;
  /** Assets of partners, which are theirs to import. */
  others: number;
};

/** The oldest version whose searches know albums, tags and visibility. Older ones ignore what they do not know, and answer with everything. */
const oldest = { major: 1, minor: 135 };

/** The most that a page may have. */
const pageSize = 1000;

/**
 * Reads what an Immich library holds of the owner of the key: everything but the trash and the locked folder, which no key opens.
 * @throws CommandError where the server is too old, refuses, or answers in another form
 */
export async function readLibrary(server: ImmichServer): Promise<Library> {
  const { major, minor, patch } = read(version, await server.get('/server/version'), 'its version');
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor))
    throw new CommandError(
      `This is Immich ${major}.${minor}.${patch}. Update it to ${oldest.major}.${oldest.minor} or later.`,
    );
  const owner = read(user, await server.get('/users/me'), 'the owner of the key');
  const [assets, stills] = [new Map<string, Asset>(), new Set<string>()];
  let others = 0;
  for (const visibility of ['timeline', 'archive'] as const)
    for await (const answer of searchAssets(server, { visibility, withExif: true, withPeople: true })) {
      if (answer.ownerId !== owner.id) others++;
      else assets.set(answer.id, toAsset(answer, visibility === 'archive'));
      if (answer.ownerId === owner.id && answer.livePhotoVideoId) stills.add(answer.livePhotoVideoId);
    }
  const motions = await readMotions(server, stills);
  return {
    owner,
    assets: [...motions, ...assets.values()].toSorted(byTime),
    albums: await readAlbums(server),
    tags: await readTags(server),
    motions: motions.length,
    others,
  };
}

const byTime = (a: Asset, b: Asset): number => compare(a.taken ?? '', b.taken ?? '') || compare(a.id, b.id);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The files of live photos that move. Immich hides them behind their stills. Those that it cut out of a photo of Android itself are in that photo.
 */
async function readMotions(server: ImmichServer, wanted: Set<string>): Promise<Asset[]> {
  const motions: Asset[] = [];
  if (wanted.size === 0) return motions;
  for await (const answer of searchAssets(server, { visibility: 'hidden', withExif: true }))
    if (wanted.has(answer.id) && !answer.originalPath.endsWith('-MP.mp4')) motions.push(toAsset(answer, false));
  return motions;
}

async function readAlbums(server: ImmichServer): Promise<Group[]> {
  // Without the parameter those that are shared with the owner of the key may be missing.
  const all = [...(await listAlbums(server, '')), ...(await listAlbums(server, '?shared=true'))];
  const found = new Map(all.map((album) => [album.id, album]));
  const inOrder = [...found.values()].toSorted((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
  const groups: Group[] = [];
  for (const { id, albumName, description } of inOrder)
    groups.push({
      id,
      name: albumName,
      description: description ?? '',
      assets: await readMembers(server, { albumIds: [id] }),
    });
  return groups;
}

const listAlbums = async (server: ImmichServer, query: string) =>
  read(albums, await server.get(`/albums${query}`), 'its albums');

/** Tags with what has them. Immich finds by a tag what has one below it too. */
async function readTags(server: ImmichServer): Promise<Group[]> {
  const groups: Group[] = [];
  for (const { id, value } of read(tags, await server.get('/tags'), 'its tags'))
    groups.push({ id, name: value, description: '', assets: await readMembers(server, { tagIds: [id] }) });
  return groups;
}

async function readMembers(server: ImmichServer, filter: { albumIds: string[] } | { tagIds: string[] }) {
  const members = new Set<string>();
  for (const visibility of ['timeline', 'archive'])
    for await (const { id } of searchAssets(server, { ...filter, visibility })) members.add(id);
  return members;
}

/**
 * All that a search finds, each once, the earliest first. Each page begins at the time at which the one before ended: what is added, deleted or in no
 * order meanwhile moves nothing to a page that was read.
 */
async function* searchAssets(server: ImmichServer, filter: object): AsyncGenerator<AssetAnswer> {
  const seen = new Set<string>();
  let after: string | undefined;
  let page = 1;
  for (;;) {
    const span: { takenAfter?: string } = after === undefined ? {} : { takenAfter: after };
    const body = { ...filter, ...span, order: 'asc', size: pageSize, page };
    const { assets } = read(assetPage, await server.post('/search/metadata', body), 'its photos and videos');
    const before = seen.size;
    for (const each of assets.items) {
      if (!seen.has(each.id)) yield each;
      seen.add(each.id);
    }
    if (assets.nextPage === null) return;
    const last: string | undefined = assets.items.at(-1)?.fileCreatedAt;
    // A whole page of one time: the next page has more of it.
    if (last === undefined || last === after) page++;
    else [after, page] = [last, 1];
    if (seen.size === before && page > 2) throw new CommandError('Immich gives the same pages again and again.');
  }
}

function toAsset(answer: AssetAnswer, isArchived: boolean): Asset {
  const { id, originalPath, checksum, exifInfo } = answer;
  const isOfPath = createHash('sha1').update(`path:${originalPath}`).digest('base64') === checksum;
  const stars = exifInfo?.rating ?? 0;
  return {
    id,
    name: answer.originalFileName,
    path: originalPath,
    size: exifInfo?.fileSizeInByte ?? null,
    // Of files in external libraries Immich knows the path only.
    sha1: isOfPath ? null : Buffer.from(checksum, 'base64').toString('hex'),
    version: isOfPath ? `${checksum} ${answer.fileModifiedAt}` : checksum,
    rating: stars >= 1 && stars <= 5 ? Math.round(stars) : answer.isFavorite ? 5 : 0,
    description: exifInfo?.description?.trim() ?? '',
    taken: toTaken(answer.localDateTime, answer.fileCreatedAt, exifInfo?.timeZone ?? null),
    isArchived,
    people: (answer.people ?? []).filter(({ isHidden }) => !isHidden).map(({ name }) => name.trim()),
  };
}

import { buffer as readAll, text } from 'node:stream/consumers';
import pMap from 'p-map';
import type { BucketClient } from '../assets/s3/bucket-client.ts';
import { type FolderObject, type ListedFolder, listFolder, listPages, plainEtag } from '../assets/s3/list-folder.ts';
import { type ObjectVersion, streamObject } from '../assets/s3/read-object.ts';
import { StorageError } from '../assets/s3/storage-error.ts';
import { hasErrorCode } from '../errors/system-errors.ts';
import { hashStream } from '../platform/storage/hash-file.ts';
import { batchListings } from './batch-listings.ts';
import { isEmptyPlace, isPath, toSourceError } from './bucket-place.ts';
import {
  addRules,
  chooseEntries,
  createGlobs,
  type Entry,
  type Globs,
  groupSidecars,
  hasFilms,
  ignoreFile,
  type IgnoreRules,
  maxIgnoreBytes,
  noMediaFile,
} from './choose-entries.ts';
import { createSample, refuseUnreadable } from './find-refusal.ts';
import { isFolderCover } from './media-extensions.ts';
import { hashEnds, wholeBytes } from './quick-hash.ts';
import { isRefusal } from './source-error.ts';
import type { FileAnswer, FileQuestion } from './source-process-messages.ts';
import type { SourceReader } from './source-reader.ts';
import type { FolderListing, ListingProblem } from './walk-folder.ts';

/** Folders that are listed before they are reached: each takes a request, and a request takes some hundredths of a second. */
const foldersAhead = 8;
/** Objects of a folder that are kept until its next page at most. */
const maxHeld = 1000;
/** Questions about objects that are asked at the same time. */
const questionsAtOnce = 32;

/** Classes of storage whose objects cannot be read before somebody has them restored. */
const archives = new Set(['GLACIER', 'DEEP_ARCHIVE']);

/** A part of a bucket, and a client of that. */
export type BucketSource = { client: BucketClient; prefix: string };

/** Reads a part of a bucket: keys are paths, parted by slashes. Nothing is ever written there. @param open is called before anything is asked */
export function createBucketReader(
  open: () => Promise<BucketSource>,
  globs: { include: string[]; exclude: string[] },
): SourceReader {
  return {
    async root() {
      const { client, prefix } = await open();
      const { endpoint, bucket } = client.settings;
      const isEmpty = await isEmptyPlace(client, prefix);
      return { device: `${endpoint ?? 's3'}/${bucket}`, inode: prefix, isMount: false, isEmpty };
    },
    list: (folders) => batchListings(walkBucket(open, createGlobs(globs, { nocase: false }), folders)),
    async ask(questions) {
      const source = await open();
      try {
        return await pMap(questions, (question) => answer(source, question), { concurrency: questionsAtOnce });
      } catch (error) {
        throw toSourceError(error);
      }
    },
    identifiesContent: true,
    isWatching: () => false,
    stop: () => undefined,
  };
}

type Folder = { path: string; ignored: IgnoreRules };
type Listed = Entry & { object: FolderObject | null };

type Page = ListedFolder & { isLast: boolean };
/** The pages of a folder, of which the first is asked for already. */
type Pages = { first: Promise<IteratorResult<Page, unknown>>; rest: AsyncGenerator<Page> };

/** Lists the media below a prefix, folder by folder, as `walkFolder` does. Throws `SourceError` when the bucket is away. */
async function* walkBucket(
  open: () => Promise<BucketSource>,
  globs: Globs,
  from: string[],
): AsyncGenerator<FolderListing> {
  const source = await open();
  const { client, prefix } = source;
  const ahead = new Map<string, Pages>();
  const sample = createSample();
  const waiting: Folder[] = from.map((folder) => ({ path: folder, ignored: [] })).toReversed();
  const ask = (folder: string): Pages => {
    const rest = listPages(client, prefixOf(prefix, folder));
    const first = rest.next();
    first.catch(() => undefined);
    return { first, rest };
  };
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const pages = ahead.get(next.path) ?? ask(next.path);
    ahead.delete(next.path);
    for await (const { listing, found } of listParts(source, next, pages, globs)) {
      waiting.push(...found);
      for (const { path: folder } of waiting.slice(-foldersAhead).toReversed()) {
        if (ahead.size < foldersAhead && !ahead.has(folder)) ahead.set(folder, ask(folder));
      }
      for (const file of listing.files) sample.add(prefix + file.path);
      yield listing;
    }
  }
  await refuseUnreadable(client, sample.keys);
}

const prefixOf = (prefix: string, folder: string): string => (folder === '' ? prefix : `${prefix}${folder}/`);

/** Lists a folder page by page: one may hold millions of objects. `found` are folders in it. */
async function* listParts(
  source: BucketSource,
  folder: Folder,
  pages: Pages,
  globs: Globs,
): AsyncGenerator<{ listing: FolderListing; found: Folder[] }> {
  const { path } = folder;
  let ignored: IgnoreRules | null = null;
  let held: Listed[] = [];
  let holdsFilms = false;
  for (let isLast = false; !isLast;) {
    const listing: FolderListing = { folder: path, files: [], problems: [], isMount: false };
    const page = await readPage(ignored === null ? pages.first : pages.rest.next()).catch((error: unknown) => {
      if (path === '' || !isRefusal(error)) throw toSourceError(error);
      listing.problems.push({ path: `${path}/`, code: 'eacces', message: (error as Error).message });
      return null;
    });
    if (!page) {
      yield { listing, found: [] };
      return;
    }
    ({ isLast } = page);
    const entries = toEntries(source, prefixOf(source.prefix, path), page, listing.problems);
    if (ignored === null) {
      const rules = isLast ? entries : await findRules(source, path);
      if (rules.some(({ name }) => name === noMediaFile)) return;
      ignored = await readIgnored(source, folder, rules);
    }
    holdsFilms ||= hasFilms(entries);
    const all = [...held, ...entries];
    held = isLast ? [] : holdBack(all, page.objects.at(-1)?.key.slice(prefixOf(source.prefix, path).length));
    const later = new Set(held);
    const now = all.filter((entry) => !later.has(entry));
    const { folders, media, sidecars } = chooseEntries(path, now, globs, ignored, holdsFilms);
    addFiles(source, { media, sidecars }, listing);
    const rules = ignored;
    yield { listing, found: folders.map((each) => ({ path: each, ignored: rules })) };
  }
}

async function readPage(next: Promise<IteratorResult<Page, unknown>>): Promise<Page> {
  const { value, done } = await next;
  return done ? { objects: [], folders: [], undecodable: [], isLast: true } : value;
}

/** The part of a name before its first dot: media and their sidecars share it, and follow one another. */
const stemOf = (name: string): string => name.split('.', 1)[0] ?? '';

/** Of a page that is not the last what further pages decide of: the media or sidecars at its end, and pictures that may be of a folder of films. */
function holdBack(entries: Listed[], last = ''): Listed[] {
  const held = entries.filter(
    ({ name, kind }) => kind === 'file' && (isFolderCover(name) || stemOf(name) === stemOf(last)),
  );
  return held.length > maxHeld ? [] : held;
}

/** The files with rules of a folder of several pages, which may be on any of them. */
async function findRules({ client, prefix }: BucketSource, folder: string): Promise<Listed[]> {
  try {
    return await pMap([noMediaFile, ignoreFile], async (name): Promise<Listed> => {
      const key = prefixOf(prefix, folder) + name;
      const { objects } = await listFolder(client, key, 1);
      const object = objects.find((each) => each.key === key);
      return { name: object ? name : '', kind: 'file', object: object ?? null };
    });
  } catch (error) {
    throw toSourceError(error);
  }
}

/** The entries of a folder, by name. Keys that are no paths get a problem. */
function toEntries(
  { prefix }: BucketSource,
  folder: string,
  { objects, folders, undecodable }: ListedFolder,
  problems: ListingProblem[],
): Listed[] {
  const below = (key: string) => key.slice(prefix.length, prefix.length + 1000);
  for (const key of undecodable)
    problems.push({
      path: key.slice(0, 1000),
      code: 'name_not_utf8',
      message: 'Its key is not written in UTF-8. Rename it.',
    });
  const fail = (key: string) =>
    problems.push({
      path: below(key),
      code: 'bad_key',
      message: 'Its key is no path: a part of it is empty, “.” or “..”, or it holds a zero byte. Rename it.',
    });
  const entries: Listed[] = [];
  for (const object of objects) {
    const name = object.key.slice(folder.length);
    // The empty object that programs make for a folder itself.
    if (name === '' && object.bytes === 0) continue;
    if (isPath(name)) entries.push({ name, kind: 'file', object });
    else fail(object.key);
  }
  for (const key of folders) {
    const name = key.slice(folder.length, -1);
    if (isPath(name)) entries.push({ name, kind: 'folder', object: null });
    else fail(key);
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The rules that count in a folder. */
async function readIgnored({ client }: BucketSource, folder: Folder, entries: Listed[]): Promise<IgnoreRules> {
  const object = entries.find(({ name }) => name === ignoreFile)?.object;
  if (!object || object.bytes === 0 || object.bytes > maxIgnoreBytes) return folder.ignored;
  const version = { key: object.key, bytes: object.bytes, etag: undefined };
  try {
    return addRules(folder.ignored, folder.path, await text(streamObject(client, () => Promise.resolve(version))));
  } catch (error) {
    // Gone meanwhile.
    if (hasErrorCode(error, 'ENOENT')) return folder.ignored;
    throw toSourceError(error);
  }
}

function addFiles(
  { prefix }: BucketSource,
  { media, sidecars }: { media: Listed[]; sidecars: Listed[] },
  { files, problems }: FolderListing,
): void {
  const toFile = ({ key, bytes, modifiedAt }: FolderObject) => ({
    path: key.slice(prefix.length),
    size: bytes,
    modifiedMs: modifiedAt.getTime(),
  });
  const sidecarsOf = groupSidecars(sidecars.flatMap(({ object }) => (object ? [toFile(object)] : [])));
  for (const { name, object } of media) {
    if (!object) continue;
    const file = toFile(object);
    const fail = (code: string, message: string) => problems.push({ path: file.path, code, message });
    if (object.bytes === 0) fail('empty_file', 'It is empty.');
    else if (archives.has(object.storageClass ?? ''))
      fail('archived', `It is archived (${object.storageClass}). Restore it to a class that can be read at once.`);
    else files.push({ ...file, identity: identityOf(object), names: 1, sidecars: sidecarsOf(name) });
  }
}

/** Two objects with the same entity tag and length have the same content. One without a tag is like no other. */
const identityOf = ({ key, etag, modifiedAt }: Pick<FolderObject, 'key' | 'etag' | 'modifiedAt'>): string =>
  etag ?? `${Math.floor(modifiedAt.getTime() / 1000)}:${key}`;

async function answer({ client, prefix }: BucketSource, { path, want }: FileQuestion): Promise<FileAnswer> {
  const key = prefix + path;
  const head = await client.head(key);
  if (!head) return null;
  const object = { key, bytes: head.ContentLength ?? 0, etag: head.ETag };
  const modifiedAt = head.LastModified ?? new Date(0);
  const identity = identityOf({ key, etag: plainEtag(head.ETag), modifiedAt });
  const found = { identity, names: 1, size: object.bytes, modifiedMs: modifiedAt.getTime() };
  if (want === 'identity') return { ...found, hash: null };
  try {
    const hash =
      want === 'ends' ? await hashEnds(readerOf(client, object), object.bytes) : await hashAll(client, object);
    return { ...found, hash };
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    // It may not be read, or changed meanwhile: then it is not known by its content.
    if (isRefusal(error) || (error instanceof StorageError && error.reason === 'PreconditionFailed'))
      return { ...found, hash: null };
    throw error;
  }
}

/** Reads parts of an object as those of a file are read. */
const readerOf = (client: BucketClient, object: ObjectVersion): Parameters<typeof hashEnds>[0] => ({
  async read(buffer, _offset, _length, position) {
    const range = { start: position, end: position + buffer.length - 1 };
    const read = await readAll(streamObject(client, () => Promise.resolve(object), range));
    return { bytesRead: read.length, buffer: read };
  },
});

const hashAll = async (client: BucketClient, object: ObjectVersion): Promise<string | null> =>
  object.bytes > wholeBytes ? null : hashStream(streamObject(client, () => Promise.resolve(object)));

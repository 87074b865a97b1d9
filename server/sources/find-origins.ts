import type { Catalog } from '../catalog/schema.ts';
import { isDisplaced } from '../catalog/sources/move-files.ts';
import {
  findByIdentity,
  findBySize,
  type FoundFile,
  type SourceFileRow,
  type SourceKey,
} from '../catalog/sources/source-files.ts';
import type { FileAnswer, FileQuestion } from './source-process-messages.ts';
import type { SourceReader } from './source-reader.ts';
import type { ListedFile } from './walk-folder.ts';

/** Known files with the identity of new ones that are asked about, beyond as many as are new. */
const fewCopies = 20;

/** A file that was listed, and as the catalog stores it. */
export type Listed = ListedFile & { found: FoundFile };

export type OriginContext = { db: Catalog; source: SourceKey; reader: SourceReader };

/** Where files that are new at their paths were before; no two have the same origin. */
export type Origins = Map<Listed, SourceFileRow>;

export const hasSameContent = (row: SourceFileRow, { found }: Listed): boolean =>
  row.size === found.size && row.modified_ms === found.modified_ms;

/** Whether a file is what was known under its identity. Where that stands for the content, a copy has it too, and another time. */
export const isKnown = ({ identifiesContent }: SourceReader, row: SourceFileRow, file: Listed): boolean =>
  row.identity === file.identity && (identifiesContent ? row.size === file.size : hasSameContent(row, file));

/**
 * Finds out where files that are new at their paths were before. A file is the one that was known elsewhere when that place is empty, or has another file,
 * and it has the same inode, length and time (of an object: the same entity tag and length), or the same length, head and tail.
 */
export async function findOrigins(context: OriginContext, files: Listed[]): Promise<Origins> {
  const origins: Origins = new Map();
  if (files.length === 0) return origins;
  await findSameIdentity(context, files, origins);
  await findSameContent(
    context,
    files.filter((file) => !origins.has(file)),
    origins,
  );
  return origins;
}

/** A file as it is now: `identity` is of the file system. */
type Place = Pick<ListedFile, 'path' | 'identity' | 'size' | 'modifiedMs'>;

/**
 * Of files that differ from what was known at their paths by their inodes alone, those at whose paths lie other known files now: pictures of one burst that
 * were renamed have one length, and on a memory card one time. Of a share that was mounted again inodes say little, so what the files hold has to say it too.
 * @returns their paths
 */
export async function findSwapped(context: OriginContext, files: Place[]): Promise<Set<string>> {
  if (files.length === 0) return new Set();
  const rows = await findByIdentity(
    context.db,
    context.source,
    [...new Set(files.map((each) => each.identity))],
    fewCopies,
  );
  const byIdentity = Map.groupBy(rows, ({ identity }) => identity);
  const likely = files.flatMap((file) => {
    const row = (byIdentity.get(file.identity) ?? []).find(
      ({ path, size, modified_ms, quick_hash }) =>
        path !== file.path && size === file.size && modified_ms === file.modifiedMs && quick_hash !== null,
    );
    return row ? [{ path: file.path, hash: row.quick_hash }] : [];
  });
  const ends = await ask(
    context,
    likely.map(({ path }) => path),
    'ends',
  );
  return new Set(likely.filter(({ path, hash }) => ends.get(path)?.hash === hash).map(({ path }) => path));
}

async function findSameIdentity(context: OriginContext, files: Listed[], origins: Origins): Promise<void> {
  const { db, source, reader } = context;
  const sought = Map.groupBy(files, ({ identity }) => identity);
  const most = Math.max(...Array.from(sought.values(), (same) => same.length));
  const rows = await findByIdentity(db, source, [...sought.keys()], most + fewCopies);
  const byIdentity = Map.groupBy(rows, ({ identity }) => identity);
  const isOrigin = (row: SourceFileRow, file: Listed) => isKnown(reader, row, file) && row.path !== file.path;
  const candidates = Array.from(sought, ([identity, same]) =>
    (byIdentity.get(identity) ?? [])
      .filter((row) => same.some((file) => isOrigin(row, file)))
      .slice(0, same.length + fewCopies),
  ).flat();
  const isRespelled = ({ identity, path }: SourceFileRow) =>
    (sought.get(identity) ?? []).some((file) => file.names === 1 && plainPath(file.path) === plainPath(path));
  const gone = await findDeparted(context, candidates, isRespelled);
  for (const [identity, same] of sought) {
    const left = (byIdentity.get(identity) ?? []).filter(({ path }) => gone.has(path));
    for (const file of same) {
      const at = left.findIndex((row) => isOrigin(row, file));
      for (const row of at < 0 ? [] : left.splice(at, 1)) origins.set(file, row);
    }
  }
}

/** The same by what the files hold: between file systems, and where inodes mean nothing, all else changes. */
async function findSameContent(context: OriginContext, files: Listed[], origins: Origins): Promise<void> {
  if (files.length === 0) return;
  const taken = new Set(Array.from(origins.values(), ({ path }) => path));
  const known = await findBySize(context.db, context.source, [...new Set(files.map(({ size }) => size))]);
  const bySize = Map.groupBy(
    known.filter(({ path }) => !taken.has(path)),
    ({ size }) => size,
  );
  const likely = files.filter(({ size }) => bySize.has(size));
  // First what is new: of some lengths thousands are known, and each that is asked about is a call to a share, or a request to a bucket.
  const ends = await ask(
    context,
    likely.map(({ path }) => path),
    'ends',
  );
  const alike = ({ path, size }: Listed) =>
    (bySize.get(size) ?? []).filter(({ quick_hash }) => quick_hash === ends.get(path)?.hash);
  const gone = await findDeparted(context, likely.flatMap(alike), () => false);
  for (const file of likely) {
    const same = alike(file).filter(({ path }) => gone.has(path) && !taken.has(path));
    const row = same.length > 1 ? await findSameWhole(context, file, same) : same[0];
    if (!row) continue;
    origins.set(file, row);
    taken.add(row.path);
  }
}

/** Of several files with the same ends the one with the same content, else the one of the same name. */
async function findSameWhole(
  context: OriginContext,
  file: Listed,
  rows: SourceFileRow[],
): Promise<SourceFileRow | undefined> {
  const name = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const isHashed = rows.some(({ full_hash }) => full_hash !== null);
  const whole = isHashed ? (await ask(context, [file.path], 'whole')).get(file.path)?.hash : null;
  const same = whole ? rows.filter(({ full_hash }) => full_hash === whole) : rows;
  return same.find(({ path }) => name(path) === name(file.path)) ?? (whole ? same[0] : undefined);
}

/** Asks of files. @returns the answers by path */
export async function ask(
  { reader }: Pick<OriginContext, 'reader'>,
  paths: string[],
  want: FileQuestion['want'],
): Promise<Map<string, FileAnswer>> {
  if (paths.length === 0) return new Map();
  const answers = await reader.ask(paths.map((path) => ({ path, want })));
  return new Map(paths.map((path, i) => [path, answers[i] ?? null]));
}

/** Those of some known files that are no longer where they were. @param isRespelled whether a file has the same path but for its letters now */
async function findDeparted(
  context: OriginContext,
  rows: SourceFileRow[],
  isRespelled: (row: SourceFileRow) => boolean,
): Promise<Set<string>> {
  const placed = rows.filter((row) => !isDisplaced(row));
  const still = await ask(context, [...new Set(placed.map(({ path }) => path))], 'identity');
  const isAlike = (row: SourceFileRow, there: Omit<Place, 'path'>): boolean =>
    there.size === row.size && there.modifiedMs === row.modified_ms;
  const swapped = await findSwapped(
    context,
    placed.flatMap((row) => {
      const there = still.get(row.path);
      const isOther = there && there.identity !== row.identity && isAlike(row, there);
      return isOther && !context.reader.identifiesContent ? [{ ...there, path: row.path }] : [];
    }),
  );
  const isDeparted = (row: SourceFileRow): boolean => {
    const there = still.get(row.path);
    if (!there || swapped.has(row.path)) return true;
    if (context.reader.identifiesContent) return there.identity !== row.identity;
    // Inodes may be others each time that a share is mounted.
    const isThere = there.identity === row.identity || isAlike(row, there);
    // Where letters may be small or capital, the earlier name still leads to it.
    return !isThere || (there.names === 1 && isRespelled(row));
  };
  return new Set(rows.filter(isDeparted).map(({ path }) => path));
}

/** How file systems that make no difference between small and capital letters, or between forms of Unicode, compare paths. */
const plainPath = (path: string): string => path.normalize('NFC').toLowerCase();

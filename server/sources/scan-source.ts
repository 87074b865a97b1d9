import type { Source } from '../../contract/sources.ts';
import type { Catalog } from '../catalog/schema.ts';
import {
  countKnown,
  countMissed,
  hasKnownBelow,
  noteMissed,
  readFileTotals,
  spareBelow,
  sparePaths,
} from '../catalog/sources/missed-files.ts';
import { noteProblems } from '../catalog/sources/source-files.ts';
import { findSource, isScanned, setSource, type SourceRow } from '../catalog/sources/sources.ts';
import { inWorkspace } from '../catalog/transactions.ts';
import { createComparison } from './compare-files.ts';
import { checkRoot, suspicionOf } from './describe-root.ts';
import { refuseFiles } from './refuse-files.ts';
import { SourceError } from './source-error.ts';
import type { RootIdentity } from './source-process-messages.ts';
import type { SourceReader } from './source-reader.ts';
import type { ListingProblem } from './walk-folder.ts';

/** Problems of each code that are stored with their paths; the others are counted. */
const maxProblems = 500;
/** A source of which so many files are missing at once, and more than half, is taken as away. */
const fewFiles = 20;

export type ScanCounts = NonNullable<Source['scan']>;

/** Why a scan ended early: its source was paused, or is being removed. What it stored is whole. */
export class ScanStopped extends Error {
  override name = 'ScanStopped';
}

/** How far a scan is stored at most every so often, milliseconds. */
const reportMs = 500;

/** A scan that is under way. */
type Scan = {
  db: Catalog;
  source: SourceRow;
  number: number;
  /** What was known of the root. */
  before: RootIdentity | null;
  /** The folders that are scanned, with what is below them; empty text: all. */
  folders: string[];
  comparison: ReturnType<typeof createComparison>;
  counts: ScanCounts;
};

/** What listing found besides files. */
type Found = {
  /** Folders where other file systems are mounted. */
  mounts: string[];
  /** Folders that could not be listed. */
  away: string[];
};

/**
 * Scans a source: lists its files, compares them with the catalog, and notes what is gone. It may be broken off anywhere: the next begins again, and what
 * this one stored is whole.
 * @param source as it was when the scan was begun; where it accepts what is missing, that is taken as deleted, however much it is
 * @param folders only these, of which something changed; null: all of it
 * Throws `SourceError` when the source is away: then nothing is taken as gone. Throws `ScanStopped` when it is paused or removed meanwhile.
 */
export async function scanSource(
  db: Catalog,
  source: SourceRow,
  reader: SourceReader,
  folders: string[] | null,
  signal: AbortSignal,
): Promise<ScanCounts> {
  const before = source.root === null ? null : (JSON.parse(source.root) as RootIdentity);
  const { isEmpty, ...root } = await reader.root();
  if (source.accepts_missing === 0 && source.file_count > 0) checkRoot(source.location, before, { ...root, isEmpty });
  const number = source.scan_number + 1;
  const counts = { found: 0, added: 0, changed: 0, moved: 0, gone: 0, failed: 0, started_at: new Date().toISOString() };
  await setSource(db, source, { scan_number: number });
  const isOtherRoot = before !== null && (before.device !== root.device || before.inode !== root.inode);
  const comparison = createComparison(db, source, reader, { scan: number, isOtherRoot });
  const scan: Scan = { db, source, number, before, folders: folders ?? [''], comparison, counts };
  const { mounts, away } = await listAll(scan, reader, signal);
  await spareBelow(db, source, number, [...away, ...findLostMounts(scan, mounts)]);
  const globs = JSON.stringify([source.include, source.exclude]);
  const takesOthers = before?.globs !== undefined && before.globs !== globs;
  const doubt = source.accepts_missing === 1 ? null : await findDoubt(scan, takesOthers);
  if (doubt && !folders) throw doubt;
  if (!doubt) await comparison.finish();
  Object.assign(counts, comparison.totals);
  counts.gone = await countMissed(db, source, number, scan.folders);
  // A part of it shows that something is gone; whether it is, a whole scan finds out.
  if (!folders) {
    const atOnce = source.accepts_missing === 1 || takesOthers;
    await inWorkspace(db, source.workspace_id, (transaction) => noteMissed(transaction, source, number, atOnce));
  }
  const hasNews = counts.added + counts.changed + counts.moved + counts.failed > 0;
  await setSource(db, source, {
    scan: null,
    watching: reader.isWatching() ? 1 : 0,
    ...(folders && !hasNews ? {} : await readFileTotals(db, source)),
    ...(!folders && {
      root: JSON.stringify({ ...root, mounts: await keepMounts(scan, mounts), globs } satisfies RootIdentity),
      last_scan: JSON.stringify({ ...counts, ended_at: new Date().toISOString() }),
    }),
  });
  return counts;
}

/** Lists what is scanned, and stores what is decided of each file by itself. */
async function listAll(scan: Scan, reader: SourceReader, signal: AbortSignal): Promise<Found> {
  const { db, source, comparison, counts } = scan;
  const mounts: string[] = [];
  const away: string[] = [];
  const isStored = createProblemBound();
  let reported = 0;
  for await (const listings of reader.list(scan.folders)) {
    signal.throwIfAborted();
    const row = await findSource(db, source.workspace_id, source.id);
    if (!row || !isScanned(row)) throw new ScanStopped();
    for (const { folder, isMount, problems } of listings) {
      if (isMount) mounts.push(folder);
      // A key that is no path says nothing of others.
      for (const { path, code } of problems) if (path.endsWith('/') && code !== 'bad_key') away.push(path.slice(0, -1));
    }
    const { files, problems } = refuseFiles(listings);
    await storeProblems(scan, problems, isStored);
    await comparison.compare(files);
    counts.found += files.length;
    counts.failed += problems.length;
    Object.assign(counts, comparison.totals);
    if (performance.now() - reported < reportMs) continue;
    reported = performance.now();
    await setSource(db, source, { scan: JSON.stringify(counts) });
  }
  return { mounts, away };
}

/** Stores problems. Of those beyond the bound nothing new is stored, but the items that have them stay. */
async function storeProblems(
  { db, source, number }: Scan,
  problems: ListingProblem[],
  isStored: (problem: ListingProblem) => boolean,
): Promise<void> {
  const { stored = [], counted = [] } = Object.groupBy(problems, (problem) =>
    isStored(problem) ? 'stored' : 'counted',
  );
  await inWorkspace(db, source.workspace_id, async (transaction) => {
    await noteProblems(transaction, source, number, stored);
    await sparePaths(
      transaction,
      source,
      number,
      counted.map(({ path }) => path),
    );
  });
}

/** Mount points within what was scanned where nothing is mounted any more. Who accepts what is missing says that they are gone. */
const findLostMounts = ({ source, before, folders }: Scan, mounts: string[]): string[] =>
  source.accepts_missing === 1
    ? []
    : (before?.mounts ?? []).filter(
        (mount) =>
          !mounts.includes(mount) &&
          folders.some((folder) => folder === '' || folder === mount || mount.startsWith(`${folder}/`)),
      );

/** The mount points to look for from now on: those there are, and those where files are known that are away. */
async function keepMounts(scan: Scan, mounts: string[]): Promise<string[]> {
  const kept = new Set(mounts);
  for (const mount of findLostMounts(scan, mounts)) {
    if (await hasKnownBelow(scan.db, scan.source, mount)) kept.add(mount);
  }
  return [...kept];
}

/**
 * Finds out whether so much is missing, or another file now, that the source itself may be away, or be another. To be called before that is stored.
 * @param takesOthers whether the globs are others: what they leave out was not deleted
 */
async function findDoubt(scan: Scan, takesOthers: boolean): Promise<SourceError | null> {
  const { db, source, comparison, counts } = scan;
  const { location } = source;
  const missed = await countMissed(db, source, scan.number, scan.folders);
  if (counts.found === 0 && missed > 0 && !takesOthers)
    return new SourceError('empty', `${location} holds no media any more. ${suspicionOf(location)}`);
  if (missed < fewFiles) return null;
  const known = await countKnown(db, source);
  if (missed <= known / 2) return null;
  const { replaced, returned } = await comparison.countReplaced();
  const lost = takesOthers ? replaced : missed - returned;
  if (lost < fewFiles || lost <= known / 2) return null;
  return replaced > lost / 2
    ? new SourceError(
        'other_disk',
        `${replaced} of ${known} files in ${location} are others now. It may be another disk.`,
      )
    : new SourceError(
        'mostly_missing',
        `${lost} of ${known} files are missing in ${location}. A part of it may not be mounted.`,
      );
}

/** Lets the first problems of each code pass: a million empty files do not hide what else there is. */
function createProblemBound(): (problem: { code: string }) => boolean {
  const stored = new Map<string, number>();
  return ({ code }) => {
    const count = (stored.get(code) ?? 0) + 1;
    stored.set(code, count);
    return count <= maxProblems;
  };
}

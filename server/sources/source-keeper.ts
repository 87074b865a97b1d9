import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '../catalog/schema.ts';
import { beginScan, isScanned, removeSomeItems, setSource, type SourceRow } from '../catalog/sources/sources.ts';
import { createFolderReader } from './folder-reader.ts';
import { checkPlace } from './locate-source.ts';
import { scanSource, ScanStopped } from './scan-source.ts';
import type { SourceBuckets } from './source-buckets.ts';
import { SourceError } from './source-error.ts';
import type { SourceReader } from './source-reader.ts';
import { failScan, goOffline, goOnline, scanFailed } from './source-state.ts';

/** When a source that no system tells of changes of is scanned again, milliseconds after its last scan. */
const rescanMs = 5 * 60_000;
/** The same where the system does tell: it may miss some. */
const watchedRescanMs = 6 * 60 * 60_000;
/** A source that is away is looked for again after this, and after twice as long each time, milliseconds. */
const retryMs = 15_000;
/** The longest that such a source is not looked for, milliseconds. */
const longestRetryMs = 5 * 60_000;
/** What is gone is looked for once more after this, before it goes to the trash, milliseconds. */
const secondLookMs = 60_000;
/** A scan comes again after so many times as long as it took: a large share is not read all the time. */
const restFactor = 20;
/** Items that are deleted at a time with a source. */
const removedAtOnce = 100;
/** Folders of a change beyond which all of a source is scanned. */
const fewFolders = 200;

export type KeeperParts = {
  db: Catalog;
  dataDirectory: string;
  buckets: Pick<SourceBuckets, 'openReader' | 'refuseOwn'>;
  /** Within which owners may add sources. */
  roots: string[];
  /** Removes the files of a deleted item. */
  removeFiles: (item: { workspace_id: string; id: string }) => Promise<void>;
  /** Called after jobs were added. */
  onStored: () => void;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
};

/** Scans and watches one source. */
export type SourceKeeper = ReturnType<typeof createSourceKeeper>;

/** What a reader is made of: with other globs it lists other files. */
export const readerSettings = ({ location, include, exclude }: SourceRow): string =>
  JSON.stringify([location, include, exclude]);

export function createSourceKeeper(parts: KeeperParts, first: SourceRow) {
  const { db, log, signal } = parts;
  /** Folders that changed since the last scan; null: any may have. */
  let changed: Set<string> | null = null;
  /** When it is scanned again by itself, as `performance.now` counts. */
  let due = performance.now();
  /** How often it was away, one time after the other. */
  let failures = 0;
  const reader = openReader(parts, first, noteChanged);

  function noteChanged(folders: string[]): void {
    for (const folder of folders) changed?.add(folder);
    if (folders.length === 0 || (changed?.size ?? 0) > fewFolders) changed = null;
    due = Math.min(due, performance.now());
  }

  async function scanOnce(seen: SourceRow): Promise<void> {
    const row = await beginScan(db, seen);
    if (!row) return;
    const began = performance.now();
    const folders = row.scan_wanted_at !== null || row.offline_since !== null ? null : changed;
    const isWhole = folders === null || folders.size === 0;
    changed = new Set();
    due = Infinity;
    await checkPlace(row, parts);
    const counts = await scanSource(db, row, reader, isWhole ? null : outermost([...folders]), signal);
    failures = 0;
    const news = counts.added + counts.changed + counts.moved;
    await goOnline(db, row, isWhole && (row.last_scan === null || news + counts.gone > 0));
    if (news > 0) parts.onStored();
    const rest = reader.isWatching() ? watchedRescanMs : Math.max(rescanMs, restFactor * (performance.now() - began));
    // What seems to be gone is looked for in the whole source, at once, and once more before it goes to the trash.
    const again = isWhole ? secondLookMs : 0;
    due = Math.min(due, performance.now() + (counts.gone > 0 ? again : rest));
    if (counts.gone > 0) changed = null;
  }

  /** Notes why a scan ended early, or a removal, though the source is there. */
  async function endEarly(row: SourceRow, error: unknown): Promise<void> {
    if (error instanceof ScanStopped) return setSource(db, row, { scan: null });
    // Once it is soon tried again: a database may have been away.
    if (row.problem_code === scanFailed) due = performance.now() + rescanMs;
    if (isScanned(row)) await failScan(db, row);
    throw error;
  }

  return {
    settings: readerSettings(first),
    /** Since when it is due to be scanned or removed, as `performance.now` counts; in the future: it is not yet. */
    dueAt(row: SourceRow): number {
      if (row.removed_at !== null) return ageOf(row.removed_at);
      if (row.paused === 1) return Infinity;
      return row.scan_wanted_at === null ? due : Math.min(due, ageOf(row.scan_wanted_at));
    },

    /** Scans it, or removes it with its items, where that was asked for. */
    async work(row: SourceRow): Promise<void> {
      try {
        if (row.removed_at === null) await scanOnce(row);
        // Some at a time: others write between.
        else while (!signal.aborted && (await removeSomeItems(db, row, removedAtOnce, parts.removeFiles)));
      } catch (error) {
        changed = null;
        due = performance.now() + Math.min(longestRetryMs, retryMs * 2 ** failures);
        failures += 1;
        if (signal.aborted) return;
        if (!(error instanceof SourceError)) return await endEarly(row, error);
        log.warn({ workspace: row.workspace_id, source: row.name, err: error }, 'a source is offline');
        await goOffline(db, row, error);
      }
    },
    stop: (): void => reader.stop(),
  };
}

/** A time of the wall as `performance.now` counts. One in the future is now. */
const ageOf = (time: string): number => performance.now() - Math.max(0, Date.now() - Date.parse(time));

function openReader(
  { dataDirectory, buckets }: KeeperParts,
  { kind, location, include, exclude }: SourceRow,
  onChange: (folders: string[]) => void,
): SourceReader {
  const globs = { include: JSON.parse(include) as string[], exclude: JSON.parse(exclude) as string[] };
  if (kind === 'bucket') return buckets.openReader(location, globs);
  return createFolderReader({ root: location, dataDirectory, ...globs, watch: true }, onChange);
}

/** Folders without those that are below another of them. */
const outermost = (folders: string[]): string[] =>
  folders.filter(
    (folder) => !folders.some((other) => other !== folder && (other === '' || folder.startsWith(`${other}/`))),
  );

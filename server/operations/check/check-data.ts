import { type AssetStore, rendition } from '../../assets/asset-store.ts';
import { checkChecksum, type OriginalProblem } from '../../assets/check-original.ts';
import { hasCompleteStructure } from '../../assets/file-structure.ts';
import type { LostAndFound } from '../../assets/lost-and-found.ts';
import type { PartialFiles } from '../../assets/partial-files.ts';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { databaseChecksOf } from '../../catalog/database-checks.ts';
import {
  findRowFaults,
  findStuckMedia,
  findItemsWithoutVectors,
  listThumbnails,
  enqueueStuckMedia,
} from '../../catalog/integrity-queries.ts';
import { findStoredMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { findWrongTotals, recountTotals } from '../../catalog/media/media-totals.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { listPendingRemovals } from '../../catalog/media/pending-removals.ts';
import { findUploadedItems } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import type { Progress } from '../admin/progress.ts';
import { checkDerivedFiles, type Finding } from './check-derived-files.ts';

export type DataReport = {
  items: number;
  /** Of the originals that were read. */
  bytes: number;
  /** Items whose originals are in sources: their scans find out whether those are there. */
  inSources: number;
  findings: Finding[];
};

/** Checks the database itself. After any finding its rows may be wrong, so nothing else is worth checking. */
export async function checkDatabase(db: Catalog): Promise<Finding[]> {
  const checks = databaseChecksOf(db);
  const faults = await checks.findFaults(db);
  return faults.map((message) => ({
    subject: checks.name,
    message,
    repair: { key: 'indexes of the catalog', run: () => repairCatalog(db) },
  }));
}

const problemMessages: Record<OriginalProblem, string> = {
  original_missing: 'its original is missing',
  original_damaged: 'its original differs from what was uploaded',
};

/**
 * Compares the whole data folder with the catalog, also while the service runs: items that come and go meanwhile are no findings. The result
 * for each original is stored on its item, as the scrub does.
 * @param running whether a service uses the folder
 * @param reindex rebuilds everything that is derived from an original, or has the service do so
 */
export async function checkData(parts: {
  db: Catalog;
  assets: AssetStore;
  partialFiles: PartialFiles;
  lostAndFound: LostAndFound;
  dataDirectory: string;
  running: boolean;
  progress: Progress;
  reindex: (row: MediaRow) => Promise<void>;
}): Promise<DataReport> {
  const { db, progress } = parts;
  const findings: Finding[] = [];
  const checks = databaseChecksOf(db);
  for (const message of await checks.findBrokenReferences(db)) {
    findings.push({ subject: checks.name, message, repair: null });
  }
  let [items, bytes, inSources] = [0, 0, 0];
  for await (const row of readAllMedia(db)) {
    items += 1;
    if (row.source_id !== null) {
      inSources += 1;
      continue;
    }
    bytes += row.size;
    progress.addTotal(row.size);
  }
  for await (const row of readAllMedia(db)) findings.push(...(await checkItem(parts, row)));
  findings.push(...(await checkRows(parts)));
  findings.push(...(await findOrphans(parts)));
  findings.push(...(await checkDerivedFiles(parts)));
  progress.end();
  return { items, bytes, inSources, findings };
}

async function repairCatalog(db: Catalog): Promise<void> {
  const checks = databaseChecksOf(db);
  await checks.rebuildIndexes(db);
  if ((await checks.findFaults(db)).length > 0) throw new Error('its tables are damaged too; restore a backup');
}

type Parts = Parameters<typeof checkData>[0];

const describeItem = (row: MediaRow): string => `${row.filename} (${row.id})`;

async function checkItem({ db, assets, progress, reindex: indexAgain }: Parts, row: MediaRow): Promise<Finding[]> {
  const problem = await checkChecksum(assets, row, { onRead: (bytes) => progress.advance(bytes) });
  // It may have been deleted meanwhile, or indexed again.
  const now = await findStoredMedia(db, row.workspace_id, row.id);
  if (!now) return [];
  await recordOriginalCheck(db, row, problem);
  const findings: Finding[] = problem
    ? [{ subject: describeItem(row), message: problemMessages[problem], repair: null }]
    : [];
  if (row.status !== 'complete' || now.indexed_at !== row.indexed_at) return findings;
  const named = [row.poster_file, row.rendition_file, ...(await listThumbnails(db, row))].filter(
    (name) => name !== null,
  );
  // Pictures in other sizes are made again when they are asked for: those that are there must be whole.
  const sizes = (await assets.listRenditions(row)).filter((name) => name.endsWith('.webp'));
  const broken: string[] = [];
  for (const name of new Set([...named, ...sizes])) {
    if (!(await assets.withLocalCopy(rendition(row, name), hasCompleteStructure))) broken.push(name);
  }
  if (broken.length > 0 && (await isUnchanged(db, row))) {
    findings.push({
      subject: describeItem(row),
      message: `${listNames(broken)} ${broken.length === 1 ? 'is' : 'are'} missing or damaged`,
      // A damaged original would only give worse ones.
      repair: problem ? null : { key: row.id, run: () => indexAgain(row) },
    });
  }
  return findings;
}

const isUnchanged = async (db: Catalog, row: MediaRow): Promise<boolean> =>
  (await findStoredMedia(db, row.workspace_id, row.id))?.indexed_at === row.indexed_at;

const listNames = (names: string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');

async function checkRows({ db, reindex: indexAgain }: Parts): Promise<Finding[]> {
  const findings: Finding[] = [];
  const faults = await findRowFaults(db);
  for (const workspace of await listWorkspaces(db)) faults.push(...(await findItemsWithoutVectors(db, workspace.id)));
  for (const { workspace_id, id, fault } of faults) {
    const row = await findStoredMedia(db, workspace_id, id);
    if (!row) continue;
    findings.push({ subject: describeItem(row), message: fault, repair: { key: id, run: () => indexAgain(row) } });
  }
  for (const { workspace_id, id } of await findStuckMedia(db)) {
    const row = await findStoredMedia(db, workspace_id, id);
    if (!row) continue;
    findings.push({
      subject: describeItem(row),
      message: 'it waits to be indexed, but has no job',
      repair: { key: 'jobs', run: () => enqueueStuckMedia(db) },
    });
  }
  for (const id of await findWrongTotals(db)) {
    findings.push({
      subject: databaseChecksOf(db).name,
      message: `the totals of the workspace ${id} differ from its items`,
      repair: { key: 'totals', run: () => recountTotals(db) },
    });
  }
  return findings;
}

/** A younger folder may belong to an upload that is about to get its row, milliseconds. */
const minOrphanAgeMs = 10_000;

/**
 * Finds folders that belong to no item. A check never removes them: the next start moves them to lost+found. In a bucket what is lost stays
 * where it is, and is no finding then.
 */
async function findOrphans({ db, assets, lostAndFound, running }: Parts): Promise<Finding[]> {
  const known = new Set((await listPendingRemovals(db)).map((each) => each.id));
  for (const { id } of await lostAndFound.list()) known.add(id);
  const remedy = assets.isLocal
    ? 'the next start moves it to lost+found'
    : 'the service lists it in lost+found within a day';
  const isUploaded = await findUploadedItems(db);
  const findings: Finding[] = [];
  for await (const owner of assets.list()) {
    if (known.has(owner.id) || isUploaded(owner) || (await findStoredMedia(db, owner.workspace_id, owner.id))) continue;
    const found = await assets.findItem(owner);
    if (!found || (running && Date.now() - found.changedAt.getTime() < minOrphanAgeMs)) continue;
    findings.push({
      subject: found.location,
      message: `it belongs to no item; ${remedy}`,
      repair: null,
    });
  }
  return findings;
}

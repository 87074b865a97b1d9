import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createAssetStore } from '../assets/asset-store.ts';
import { checkContent, type OriginalProblem } from '../assets/check-original.ts';
import { isWhole } from '../assets/whole-file.ts';
import { findMedia, type MediaRow } from '../catalog/media-items.ts';
import { recordOriginalCheck } from '../catalog/original-checks.ts';
import { listPendingRemovals } from '../catalog/pending-removals.ts';
import type { Catalog } from '../catalog/schema.ts';
import { readAllMedia } from '../catalog/snapshot.ts';
import {
  findFaults,
  findLooseRows,
  findRowFaults,
  findStuckMedia,
  findUnembedded,
  listThumbnails,
  queueStuckMedia,
  rebuildIndexes,
} from '../catalog/verify-catalog.ts';
import { listWorkspaces } from '../catalog/workspaces.ts';
import type { Progress } from '../progress.ts';
import { checkDerivedFiles } from './derived-files.ts';

/** Something that is not as it should be. */
export type Finding = {
  /** What is concerned: an item by file name and identifier, or a path. */
  about: string;
  message: string;
  /** What is the same for several findings is mended once. */
  mend: { key: string; run: () => Promise<void> } | null;
};

export type DataReport = { items: number; bytes: number; findings: Finding[] };

/** What is wrong with the database file itself. With any of it what its rows say may be wrong, so nothing more is to be asked. */
export async function checkDatabase(db: Catalog): Promise<Finding[]> {
  const faults = await findFaults(db);
  return faults.map((message) => ({
    about: 'catalog.db',
    message,
    mend: { key: 'indexes of the catalog', run: () => mendCatalog(db) },
  }));
}

const problemMessages: Record<OriginalProblem, string> = {
  original_missing: 'its original is missing',
  original_damaged: 'its original is not as it was uploaded',
};

/**
 * Compares the whole data folder with the catalog, also while the service runs: what comes and goes meanwhile is no finding. What is found
 * of each original is noted on its item, as the scrub does.
 * @param running whether a service uses the folder
 * @param indexAgain makes everything that is derived from an original again
 */
export async function checkData(parts: {
  db: Catalog;
  dataDirectory: string;
  running: boolean;
  progress: Progress;
  indexAgain: (row: MediaRow) => Promise<void>;
}): Promise<DataReport> {
  const { db, progress } = parts;
  const findings: Finding[] = [];
  for (const { table, rowid, parent } of await findLooseRows(db)) {
    findings.push({ about: 'catalog.db', message: `row ${rowid} of ${table} names no row of ${parent}`, mend: null });
  }
  let [items, bytes] = [0, 0];
  for await (const row of readAllMedia(db)) {
    items += 1;
    bytes += row.size;
    progress.expect(row.size);
  }
  for await (const row of readAllMedia(db)) findings.push(...(await checkItem(parts, row)));
  findings.push(...(await checkRows(parts)));
  findings.push(...(await findOrphans(parts)));
  findings.push(...(await checkDerivedFiles(parts)));
  progress.end();
  return { items, bytes, findings };
}

async function mendCatalog(db: Catalog): Promise<void> {
  await rebuildIndexes(db);
  if ((await findFaults(db)).length > 0) throw new Error('its tables are damaged too; restore a backup');
}

type Parts = Parameters<typeof checkData>[0];

const nameOf = (row: MediaRow): string => `${row.filename} (${row.id})`;

async function checkItem({ db, dataDirectory, progress, indexAgain }: Parts, row: MediaRow): Promise<Finding[]> {
  const assets = createAssetStore(dataDirectory);
  const problem = await checkContent(assets.originalOf(row), row, { onRead: (bytes) => progress.advance(bytes) });
  // It may have been deleted meanwhile, or indexed again with other files.
  const now = await findMedia(db, row.workspace_id, row.id);
  if (!now) return [];
  await recordOriginalCheck(db, row, problem);
  const findings: Finding[] = problem ? [{ about: nameOf(row), message: problemMessages[problem], mend: null }] : [];
  if (row.status !== 'complete' || now.indexed_at !== row.indexed_at) return findings;
  const named = [row.poster_file, row.rendition_file, ...(await listThumbnails(db, row))];
  const broken: string[] = [];
  for (const name of new Set(named)) {
    if (name !== null && !(await isWhole(path.join(assets.renditionsOf(row), name)))) broken.push(name);
  }
  if (broken.length > 0 && (await isUnchanged(db, row))) {
    findings.push({
      about: nameOf(row),
      message: `${listNames(broken)} ${broken.length === 1 ? 'is' : 'are'} missing or damaged`,
      // From a damaged original worse would come.
      mend: problem ? null : { key: row.id, run: () => indexAgain(row) },
    });
  }
  return findings;
}

const isUnchanged = async (db: Catalog, row: MediaRow): Promise<boolean> =>
  (await findMedia(db, row.workspace_id, row.id))?.indexed_at === row.indexed_at;

const listNames = (names: string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');

async function checkRows({ db, indexAgain }: Parts): Promise<Finding[]> {
  const findings: Finding[] = [];
  const faults = await findRowFaults(db);
  for (const workspace of await listWorkspaces(db)) faults.push(...(await findUnembedded(db, workspace.id)));
  for (const { workspace_id, id, fault } of faults) {
    const row = await findMedia(db, workspace_id, id);
    if (!row) continue;
    findings.push({ about: nameOf(row), message: fault, mend: { key: id, run: () => indexAgain(row) } });
  }
  for (const { workspace_id, id } of await findStuckMedia(db)) {
    const row = await findMedia(db, workspace_id, id);
    if (!row) continue;
    findings.push({
      about: nameOf(row),
      message: 'it waits to be indexed, but no job says so',
      mend: { key: 'jobs', run: () => queueStuckMedia(db) },
    });
  }
  return findings;
}

/** Folders that stand by themselves for so long are no upload that is about to get its row. */
const settledMs = 10_000;

/** Folders that no item owns. They are never removed by a check: the next start moves them to lost+found. */
async function findOrphans({ db, dataDirectory, running }: Parts): Promise<Finding[]> {
  const removals = new Set((await listPendingRemovals(db)).map((each) => each.media_id));
  const findings: Finding[] = [];
  const root = path.join(dataDirectory, 'assets');
  for (const workspaceId of await readdir(root).catch((): string[] => [])) {
    for (const id of await readdir(path.join(root, workspaceId)).catch((): string[] => [])) {
      const folder = path.join(root, workspaceId, id);
      if (removals.has(id) || (await findMedia(db, workspaceId, id))) continue;
      const found = await stat(folder).catch(() => null);
      if (!found || (running && Date.now() - found.ctimeMs < settledMs)) continue;
      findings.push({
        about: path.relative(dataDirectory, folder),
        message: 'it belongs to no item; the next start moves it to lost+found',
        mend: null,
      });
    }
  }
  return findings;
}

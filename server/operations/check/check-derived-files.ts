import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { verifyIndexFile } from '@media-search/search-engine/builder/index-file';
import type { AssetStore, Leftover } from '../../assets/asset-store.ts';
import { partialFilePath } from '../../assets/disk-layout.ts';
import type { PartialFiles } from '../../assets/partial-files.ts';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { isInHistory } from '../../catalog/media/timelines.ts';
import { findExpectedItems, findOpenUploads } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { listScratch } from '../../platform/storage/scratch.ts';
import { readCacheFile } from '../../search/highlights/cache-file.ts';

/** Something that is wrong with catalog or files. */
export type Finding = {
  /** An item by file name and identifier, or a path. */
  subject: string;
  message: string;
  /** Findings with the same key are repaired together, once. Null: it cannot be repaired. */
  repair: { key: string; run: () => Promise<void> } | null;
};

type Parts = { db: Catalog; assets: AssetStore; partialFiles: PartialFiles; dataDirectory: string; running: boolean };

/** Checks saved search indexes and rankings, and finds files that interrupted processes left. */
export async function checkDerivedFiles(parts: Parts): Promise<Finding[]> {
  const { db, dataDirectory } = parts;
  const findings: Finding[] = [];
  const known = new Set((await listWorkspaces(db)).map(({ id }) => id));
  const root = path.join(dataDirectory, 'indexes');
  for (const workspaceId of await list(root)) {
    const folder = path.join(root, workspaceId);
    if (!known.has(workspaceId)) {
      findings.push({
        subject: path.relative(dataDirectory, folder),
        message: 'it belongs to a workspace that does not exist',
        repair: { key: folder, run: () => rm(folder, { recursive: true, force: true }) },
      });
      continue;
    }
    for (const name of await list(folder)) {
      const file = path.join(folder, name);
      const fault = await findFault(parts, file);
      if (!fault) continue;
      findings.push({
        subject: path.relative(dataDirectory, file),
        message: fault,
        repair: { key: file, run: () => rm(file, { force: true }) },
      });
    }
  }
  return [...findings, ...(await findLeftovers(parts))];
}

/** What is wrong with a file of `indexes/`; null when nothing is, and for files that cannot be checked by themselves. */
async function findFault({ db, running }: Parts, file: string): Promise<string | null> {
  if (file.endsWith('.new')) {
    // A running service removed leftovers at its start; this one is in use.
    return running ? null : 'it was left by a process that was killed';
  }
  if (/\.(?:rankings(?:\.graph)?|map)$/.test(file)) {
    return (await readCacheFile(db, file)) ? null : 'it is damaged; it is rebuilt when it is needed';
  }
  if (!file.endsWith('.index')) return null;
  const saved = await verifyIndexFile(file);
  if (!saved) return 'it is damaged; it is rebuilt at the next start';
  if (!(await isInHistory(db, saved.position))) {
    return 'it belongs to a catalog that was replaced by an older copy; it is rebuilt at the next start';
  }
  return null;
}

/** Unfinished uploads and removals, while no service runs that they could belong to. */
async function findLeftovers({ db, assets, partialFiles, dataDirectory, running }: Parts): Promise<Finding[]> {
  if (running) return [];
  const folders = (await listScratch(dataDirectory)).map((folder) => ({
    location: path.relative(dataDirectory, folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  }));
  const uploads: Leftover[] = [];
  const isOpen = await findOpenUploads(db);
  for await (const { changedAt: _, ...owner } of partialFiles.list()) {
    if (isOpen(owner)) continue;
    uploads.push({ location: partialFilePath(owner), remove: () => partialFiles.removeUnlisted(owner) });
  }
  return [...folders, ...uploads, ...(await assets.listLeftovers(await findExpectedItems(db)))].map((leftover) => ({
    subject: leftover.location,
    message: 'it was left by a service that was killed',
    repair: { key: leftover.location, run: () => leftover.remove() },
  }));
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch((): string[] => []);

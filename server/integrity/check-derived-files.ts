import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AssetStore } from '../assets/asset-store.ts';
import { listEmbeddedChunkNumbers } from '../catalog/chunk-vectors.ts';
import { readActiveEmbedder } from '../catalog/embedders.ts';
import type { Catalog } from '../catalog/schema.ts';
import { isInHistory } from '../catalog/timelines.ts';
import { listWorkspaces } from '../catalog/workspaces.ts';
import { readCacheFile } from '../highlights/cache-file.ts';
import { readIndexDescription, removeIndex } from '../search/index-file.ts';
import type { Finding } from './check-data.ts';

type Parts = { db: Catalog; assets: AssetStore; dataDirectory: string; running: boolean };

/** A running service replaces an index and its description one after the other, within this time. */
const renameGapMs = 2000;

/** Checks saved vector indexes and rankings, and finds files that interrupted processes left. */
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
      const fault = await findFault(parts, workspaceId, file);
      if (!fault) continue;
      findings.push({
        subject: path.relative(dataDirectory, file),
        message: fault,
        repair: { key: file, run: () => (name.endsWith('.usearch') ? removeIndex(file) : rm(file, { force: true })) },
      });
    }
  }
  return [...findings, ...(await findLeftovers(parts))];
}

/** What is wrong with a file of `indexes/`; null when nothing is, and for files that cannot be checked by themselves. */
async function findFault(parts: Parts, workspaceId: string, file: string): Promise<string | null> {
  if (file.endsWith('.new')) {
    // A running service removed leftovers at its start; this one is in use.
    return parts.running ? null : 'it was left by a process that was killed';
  }
  if (/\.rankings(?:\.graph)?$/.test(file)) {
    return (await readCacheFile(parts.db, file)) ? null : 'it is damaged; it is rebuilt when it is needed';
  }
  if (!file.endsWith('.usearch')) return null;
  const saved = (await readIndexDescription(file)) ?? (parts.running ? await retryDescribeIndex(file) : null);
  if (!saved) return 'it is damaged or has no description; it is rebuilt at the next start';
  if (!(await isInHistory(parts.db, saved.position))) {
    return 'it belongs to a catalog that was replaced by an older copy; it is rebuilt at the next start';
  }
  const embedderId = await readActiveEmbedder(parts.db, workspaceId);
  if (embedderId === null || path.basename(file) !== `${embedderId.replaceAll(/[^\w.-]+/g, '-')}.usearch`) return null;
  const indexedNumbers = new Set(saved.numbers);
  const stored = await listEmbeddedChunkNumbers(parts.db, workspaceId, embedderId, saved.position.sequence);
  const missing = stored.filter((number) => !indexedNumbers.has(number)).length;
  return missing === 0 ? null : `it lacks ${missing} chunks of the catalog; it is rebuilt at the next start`;
}

async function retryDescribeIndex(file: string) {
  await delay(renameGapMs);
  return readIndexDescription(file);
}

/** Unfinished uploads and removals, while no service runs that they could belong to. */
async function findLeftovers({ assets, running }: Parts): Promise<Finding[]> {
  if (running) return [];
  return (await assets.listLeftovers()).map((leftover) => ({
    subject: leftover.location,
    message: 'it was left by a service that was killed',
    repair: { key: leftover.location, run: () => leftover.remove() },
  }));
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch((): string[] => []);

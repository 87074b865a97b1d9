import { type AssetStore, original } from '../../assets/asset-store.ts';
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import { findStoredMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { listPendingRemovals } from '../../catalog/media/pending-removals.ts';
import { findExpectedItems, findUploadedItems } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import type { Settings } from '../../settings.ts';
import { openDataCatalog } from '../open-data-directory.ts';
import { exitStatus, reportFailures } from './backup.ts';
import { createProgress } from './progress.ts';

/** What is younger may belong to an upload whose row is being written, milliseconds. */
const minOrphanAgeMs = 60_000;
/** Originals that are compared at a time: each is a request to the bucket. */
const atOnce = 32;
/** Findings that are printed one by one; of more only the number is. */
const maxPrinted = 100;

/**
 * `admin storage check`: tries what the service asks of the place of its files, and compares the originals there with the catalog by their
 * lengths.
 * @returns the exit status
 */
export async function runStorageCheck(settings: Settings): Promise<number> {
  const progress = createProgress('Comparing', { format: (items) => `${items} items` });
  return reportFailures(settings.dataDirectory, progress, async () => {
    const files = await openStoredFiles(settings);
    const { assets, lostAndFound } = files;
    console.log(assets.location);
    for await (const { step, problem } of files.probe()) {
      console.log(`  ${step}: ${problem ?? 'works'}`);
      if (problem !== null) return exitStatus.findings;
    }
    const db = await openDataCatalog(settings, assets, { atStart: false });
    try {
      const lost = new Set((await lostAndFound.list()).map(({ id }) => id));
      const missing = await findMissing(db, assets, () => progress.advance(1));
      const unowned = await findUnowned(db, assets, lost);
      progress.end();
      print(missing, (count) => `${count} originals are missing or have another length than was uploaded`);
      print(unowned, (count) => `${count} folders belong to no item; what is a day old goes to lost+found`);
      const others = await assets.listLeftovers(await findExpectedItems(db));
      if (others.length > 0) console.log(`${others.length} unfinished uploads are old; the service removes them.`);
      if (missing.length + unowned.length > 0) return exitStatus.findings;
      console.log('Every item has its original, and every original its item.');
      return exitStatus.done;
    } finally {
      await db.destroy();
    }
  });
}

function print(findings: string[], head: (count: number) => string): void {
  if (findings.length === 0) return;
  console.log(`${head(findings.length)}:`);
  for (const finding of findings.slice(0, maxPrinted)) console.log(`  ${finding}`);
  if (findings.length > maxPrinted) console.log(`  and ${findings.length - maxPrinted} more`);
}

/** Items whose original is not as long as what was uploaded, as lines. */
async function findMissing(db: Catalog, assets: AssetStore, onItem: () => void): Promise<string[]> {
  const found: string[] = [];
  const compare = async (rows: MediaRow[]) => {
    const problems = await Promise.all(rows.map((row) => findProblem(assets, row)));
    for (const [i, row] of rows.entries()) {
      onItem();
      // It may have been deleted meanwhile.
      if (problems[i] !== null && (await findStoredMedia(db, row.workspace_id, row.id))) {
        found.push(`${row.filename} (${row.id}) ${problems[i]}`);
      }
    }
  };
  let rows: MediaRow[] = [];
  for await (const row of readAllMedia(db)) {
    rows.push(row);
    if (rows.length < atOnce) continue;
    await compare(rows);
    rows = [];
  }
  await compare(rows);
  return found;
}

async function findProblem(assets: AssetStore, row: MediaRow): Promise<string | null> {
  if (row.source_id !== null) return null;
  const status = await assets.stat(original(row));
  if (!status) return 'is missing';
  return status.bytes === row.size ? null : `has ${status.bytes} bytes instead of ${row.size}`;
}

/** The places of stored items without an owner: neither a row nor lost+found names them, and they were not deleted. */
async function findUnowned(db: Catalog, assets: AssetStore, lost: Set<string>): Promise<string[]> {
  const removals = new Set((await listPendingRemovals(db)).map((removal) => removal.id));
  const isUploaded = await findUploadedItems(db);
  const found: string[] = [];
  for await (const owner of assets.list()) {
    if (lost.has(owner.id) || removals.has(owner.id) || isUploaded(owner)) continue;
    if (await findStoredMedia(db, owner.workspace_id, owner.id)) continue;
    const stored = await assets.findItem(owner);
    if (stored && Date.now() - stored.changedAt.getTime() > minOrphanAgeMs) found.push(stored.location);
  }
  return found;
}

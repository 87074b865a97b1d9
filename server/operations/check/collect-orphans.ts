import type { FastifyBaseLogger } from 'fastify';
import type { AssetOwner, AssetStore } from '../../assets/asset-store.ts';
import { checkLength } from '../../assets/check-original.ts';
import type { LostAndFound } from '../../assets/lost-and-found.ts';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { findStoredMedia, listMediaIds } from '../../catalog/media/media-items.ts';
import {
  listMissingOriginals,
  recordMissingOriginals,
  recordOriginalCheck,
} from '../../catalog/media/original-checks.ts';
import { listPendingRemovals } from '../../catalog/media/pending-removals.ts';
import { findUploadedItems } from '../../catalog/media/uploads.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { type PeriodicWorker, runEvery } from '../../platform/periodic.ts';
import { type MediaRemoval, removeLostItem } from '../../uploads/media-removal.ts';

type Parts = {
  db: Catalog;
  assets: AssetStore;
  lostAndFound: LostAndFound;
  removal: Pick<MediaRemoval, 'removeUnlisted'>;
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>;
};

const noItem = 'The catalog lists no item for these files.';
const noWorkspace = 'The catalog lists no workspace for these files.';

/**
 * Compares the stored items with the catalog: those that it does not list move to lost+found, those that it lists again come back, and those that
 * it lists without files are noted. To be called at the start, before uploads can arrive. An original is never removed because its row is missing: the catalog may be what is wrong.
 */
export async function collectOrphans({ db, assets, lostAndFound, removal, log }: Parts): Promise<void> {
  const known = new Set((await listWorkspaces(db)).map(({ id }) => id));
  const media = new Map<string, Set<string>>();
  for (const id of known) media.set(id, await listMediaIds(db, id));
  const isListed = ({ workspace_id, id }: AssetOwner) => media.get(workspace_id)?.has(id) ?? false;

  // Deleted on purpose.
  const removals = new Set((await listPendingRemovals(db)).map((each) => `${each.workspace_id}/${each.id}`));
  // Whole, and not items yet.
  const isUploaded = await findUploadedItems(db);
  const isExpected = (owner: AssetOwner) => removals.has(`${owner.workspace_id}/${owner.id}`) || isUploaded(owner);
  const orphans: AssetOwner[] = [];
  const absent = new Map([...media].map(([id, items]) => [id, new Set(items)]));
  for await (const owner of assets.list()) {
    absent.get(owner.workspace_id)?.delete(owner.id);
    if (!isListed(owner) && !isExpected(owner)) orphans.push(owner);
  }
  for (const owner of orphans) {
    const about = { workspace: owner.workspace_id, item: owner.id };
    try {
      await removal.removeUnlisted(owner, known.has(owner.workspace_id) ? noItem : noWorkspace);
      if (!known.has(owner.workspace_id)) await lostAndFound.removeWorkspaceFolder(owner.workspace_id);
    } catch (error) {
      log.error(
        { ...about, err: error },
        'an original that the catalog does not list could not be moved; it stays where it is',
      );
    }
  }
  for (const lost of await listReadable(lostAndFound, log)) {
    if (!isListed(lost) || !(await lostAndFound.restoreInPlace(lost))) continue;
    await recordOriginalCheck(db, lost, null);
    absent.get(lost.workspace_id)?.delete(lost.id);
    log.warn(
      { workspace: lost.workspace_id, item: lost.id },
      'the catalog lists an original again that was in lost+found: it is back',
    );
  }
  const without = [...absent].flatMap(([workspace_id, ids]) => [...ids].map((id) => ({ workspace_id, id })));
  await recordMissing({ db, assets, log }, without);
}

/**
 * Says which items are listed without any files: an older copy of the catalog lists what was deleted since. What is noted of items whose files are
 * back is taken away.
 */
async function recordMissing({ db, assets, log }: Pick<Parts, 'db' | 'assets' | 'log'>, without: AssetOwner[]) {
  const missing: AssetOwner[] = [];
  for (const owner of without) {
    // It may have been deleted since the list was read.
    const row = await findStoredMedia(db, owner.workspace_id, owner.id);
    if (row && (await checkLength(assets, row)) === 'original_missing') missing.push(owner);
  }
  for (const row of await listMissingOriginals(db)) {
    if ((await checkLength(assets, row)) === null) await recordOriginalCheck(db, row, null);
  }
  await recordMissingOriginals(db, missing);
  if (missing.length === 0) return;
  log.warn(
    { items: missing.length, first: missing.slice(0, 10).map(({ id }) => id) },
    `${missing.length} items are listed without an original: the catalog may be older than the files, and they were deleted since; admin check lists them`,
  );
}

/**
 * Removes expired lost items at once and then every six hours. The running time of lost items is counted here, so one process at a time may do this.
 */
export function scheduleLostItemExpiry(parts: Omit<Parts, 'removal'>): PeriodicWorker {
  const { lostAndFound, log } = parts;
  let lastRunAt = performance.now();
  const expire = async () => {
    const ranSeconds = Math.round((performance.now() - lastRunAt) / 1000);
    lastRunAt = performance.now();
    for (const lost of await lostAndFound.listExpired(ranSeconds)) {
      if (!(await removeLostItem(parts, lost))) continue;
      const { workspace_id, id, filename } = lost;
      log.warn({ workspace: workspace_id, item: id, filename }, 'removed from lost+found: its time there has expired');
    }
  };
  return runEvery(6 * 3_600_000, expire, 'emptying lost+found', log);
}

/** Lists lost items; none when lost+found cannot be read, because it may belong to the file system. */
async function listReadable(lostAndFound: LostAndFound, log: Parts['log']) {
  try {
    await lostAndFound.removeLeftovers();
    return await lostAndFound.list();
  } catch (error) {
    log.error({ err: error }, 'lost+found cannot be read');
    return [];
  }
}

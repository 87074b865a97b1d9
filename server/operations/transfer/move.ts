import type { AssetStore } from '../../assets/asset-store.ts';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from '../../catalog/catalog-location.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { type CatalogLocation } from '../../platform/storage/data-directory.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { Progress } from '../admin/progress.ts';
import { copyCatalog, findArrival } from './copy-catalog.ts';
import { beginDeparture, isDeparting, readArrival } from './move-state.ts';
import { type ItemProblem, transferItems, type TransferReport, type TransferSource } from './transfer-items.ts';

export type MoveParts = {
  /** What is moved. No service uses it. */
  source: { db: Catalog; assets: TransferSource };
  /** Where to; null: it stays. No service uses it. */
  target: { catalog: CatalogLocation | null; assets: AssetStore | null };
  /** How a person names the catalog's place. */
  targetName: string;
  /** Whether the catalog is copied in spite of something that is wrong with a file. */
  accept: (problem: ItemProblem) => boolean;
  /** For files on their way. */
  scratch: Scratch;
  progress: { rows: Progress; bytes: Progress };
};

export type MoveReport = {
  /** How many arrived; null: the catalog stayed. */
  rows: number | null;
  /** Null: the files stayed. */
  assets: TransferReport | null;
};

/**
 * Copies a catalog and its files to another place, and compares what arrived. It may be ended at any moment and run again: then it goes on,
 * unless something opened the source meanwhile. What is copied stays as it is.
 * Throws `StartupError` when the target holds something else, or what arrived differs.
 */
export async function move({ source, target, targetName, accept, scratch, progress }: MoveParts): Promise<MoveReport> {
  const { db } = source;
  if (await readArrival(db)) {
    throw new StartupError('A move into this catalog was interrupted, so it is not complete: end that one first.');
  }
  await using stack = new AsyncDisposableStack();
  let into: Catalog | null = null;
  if (target.catalog) {
    into = await openCatalogAt(target.catalog, serviceOptions);
    stack.defer(() => into?.destroy());
    await findArrival({ source: db, target: into, targetName });
  }
  const departure = await beginDeparture(db);
  let assets: TransferReport | null = null;
  if (target.assets) {
    await target.assets.prepare();
    await refuseOtherFiles(db, target.assets);
    assets = await transferItems({
      db,
      source: source.assets,
      target: target.assets,
      scratch,
      progress: progress.bytes,
    });
    progress.bytes.end();
    const refused = assets.problems.filter((problem) => !accept(problem));
    if (refused.length > 0) throw new StartupError(describeRefused(refused));
  }
  if (!into) return { rows: null, assets };
  const unchanged = () => isDeparting(db, departure);
  const copy = { source: db, target: into, targetName, move: departure, unchanged, progress: progress.rows };
  const rows = await copyCatalog(copy);
  progress.rows.end();
  return { rows, assets };
}

/** A service would take the files of other catalogs for lost ones. Throws `StartupError`. */
async function refuseOtherFiles(db: Catalog, assets: AssetStore): Promise<void> {
  const known = new Set((await listWorkspaces(db)).map(({ id }) => id));
  for await (const { workspace_id, id } of assets.list()) {
    if (known.has(workspace_id)) continue;
    throw new StartupError(
      `${assets.location} holds files of another catalog (${workspace_id}/${id}); choose an empty place.`,
    );
  }
}

const describeRefused = (problems: ItemProblem[]): string =>
  [
    'What is copied is damaged, so the catalog was not copied. Give --skip-damaged to leave these out:',
    ...problems.map(({ message }) => `  ${message}`),
  ].join('\n');

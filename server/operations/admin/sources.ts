import { problemOfGlob } from '../../../contract/source-globs.ts';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { countSourceItems, listAllSources, setSource, type SourceRow } from '../../catalog/sources/sources.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Settings } from '../../settings.ts';
import { createSource } from '../../sources/add-source.ts';
import { locateSource } from '../../sources/locate-source.ts';
import { createSourceBuckets } from '../../sources/source-buckets.ts';
import { SourceError } from '../../sources/source-error.ts';
import { stateOf } from '../../sources/source-state.ts';
import type { Options } from './arguments.ts';
import { formatBytes } from './progress.ts';
import { findNamedWorkspace } from './workspaces.ts';

/** `admin source list`: of all workspaces, or of one. */
export async function printSources(db: Catalog, { workspace }: Options): Promise<void> {
  const named = workspace === undefined ? await listWorkspaces(db) : [await findNamedWorkspace(db, workspace)];
  const names = new Map(named.map(({ id, name }) => [id, name]));
  for (const row of await listAllSources(db)) {
    const owner = names.get(row.workspace_id);
    if (owner !== undefined) console.log(describeSource(row, owner));
  }
}

/**
 * `admin source add`: any folder that is none of the system, or a prefix of a bucket; `SOURCE_ROOTS` is for owners. A service that runs begins to scan it.
 * Throws `StartupError` for a location that may be none, a name or location that is taken, and beyond the limit.
 */
export async function addNamedSource(
  db: Catalog,
  settings: Pick<Settings, 'dataDirectory' | 'bucketAccess' | 'storage'>,
  location: string,
  { name, workspace, include = [], exclude = [] }: Options,
): Promise<void> {
  for (const glob of [...include, ...exclude]) {
    const problem = problemOfGlob(glob);
    if (problem !== null) throw new StartupError(`The glob ${glob} ${problem}.`);
  }
  const { id, name: owner } = await findNamedWorkspace(db, workspace);
  const buckets = createSourceBuckets(settings, () => undefined);
  const { dataDirectory } = settings;
  const place = await locateSource(location, { roots: null, dataDirectory, buckets }).catch((error: unknown) => {
    throw error instanceof SourceError ? new StartupError(`The location ${location} ${error.message}.`) : error;
  });
  const row = await createSource(db, id, { ...(name !== undefined && { name }), include, exclude }, place, true);
  if (row === 'taken') throw new StartupError(`The workspace ${owner} has a source with this name or this location.`);
  if (row === 'full') throw new StartupError(`The workspace ${owner} has as many sources as it may have.`);
  console.log(describeSource(row, owner));
}

/**
 * `admin source remove`: by name or identifier. The service that runs, or the next that does, deletes its items and then the source.
 * Throws `StartupError` where there is none, and for one with items without `--force`: labels and comments go with them.
 */
export async function removeNamedSource(
  db: Catalog,
  named: string,
  { workspace, force = false }: Options,
): Promise<void> {
  const { id, name: owner } = await findNamedWorkspace(db, workspace);
  const rows = (await listAllSources(db)).filter((each) => each.workspace_id === id);
  const row = rows.find((each) => each.id === named || each.name === named);
  if (!row) {
    const names = rows.map(({ name }) => name).join(', ');
    throw new StartupError(
      `The workspace ${owner} has no source named ${named}. ${names === '' ? 'It has none.' : `It has: ${names}.`}`,
    );
  }
  const counts = Object.values((await countSourceItems(db, id)).get(row.id) ?? {});
  const items = counts.reduce((sum, count) => sum + count, 0);
  if (items > 0 && !force) {
    throw new StartupError(
      `The source ${row.name} has ${items} items, which would be deleted with their labels and comments. Its files stay. Give --force to remove it.`,
    );
  }
  await setSource(db, row, { removed_at: row.removed_at ?? new Date().toISOString() });
  console.log(`The source ${row.name} is removed with its ${items} items while the service runs. Its files stay.`);
}

const describeSource = (row: SourceRow, workspace: string): string =>
  `${row.id}  ${row.name}  ${row.location}  (workspace ${workspace}, ${stateOf(row)}, ${row.file_count} files, ${formatBytes(row.bytes)})`;

import { expiresAt } from '../../assets/lost-and-found.ts';
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import { findWorkspace, listWorkspaces, type WorkspaceRow } from '../../catalog/accounts/workspaces.ts';
import { beginTimeline } from '../../catalog/media/timelines.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { ApiError } from '../../errors/api-error.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Settings } from '../../settings.ts';
import { restoreLostMedia } from '../../uploads/restore-lost-media.ts';

/** `admin lost-found list`: prints identifier, workspace, name, size and expiry of each lost item. */
export async function listLostFound(db: Catalog, settings: Settings): Promise<void> {
  const names = new Map((await listWorkspaces(db)).map(({ id, name }) => [id, name]));
  for (const lost of await (await openStoredFiles(settings)).lostAndFound.list()) {
    const workspace = names.get(lost.workspace_id) ?? `unknown workspace ${lost.workspace_id}`;
    const name = lost.filename ?? 'name unknown';
    console.log(`${lost.id}  ${workspace}  ${name}  ${lost.size} bytes  kept until ${expiresAt(lost).slice(0, 10)}`);
  }
}

/**
 * `admin lost-found restore`: restores lost items, as if their originals had been uploaded, and prints a line for each. Throws
 * `StartupError` when one is refused or cannot be found; those before it are restored.
 * @param which the identifier of one, or `all`
 * @param workspace where to; undefined: where each was
 */
export async function restoreLostFound(
  db: Catalog,
  settings: Settings,
  which: string,
  workspace: WorkspaceRow | undefined,
): Promise<void> {
  const { assets, lostAndFound } = await openStoredFiles(settings);
  const wanted = (await lostAndFound.list()).filter(({ id }) => which === 'all' || which === id);
  if (wanted.length === 0) throw new StartupError(`There is no lost file ${which}; lost-found list prints them.`);
  // No service need have started since a copy of the catalog was put in place.
  await beginTimeline(db);
  for (const lost of wanted) {
    const target = workspace ?? (await findWorkspace(db, lost.workspace_id));
    if (!target) {
      throw new StartupError(
        `The workspace of ${lost.id} is gone; name another: lost-found restore ${which} <workspace>`,
      );
    }
    try {
      const { row, duplicate } = await restoreLostMedia({ db, assets, lostAndFound }, target.id, lost);
      console.log(`${row.id}  ${target.name}  ${row.filename}${duplicate ? '  (exists already)' : ''}`);
    } catch (error) {
      if (error instanceof ApiError) throw new StartupError(`${lost.id} was not restored: ${error.message}`);
      throw error;
    }
  }
}

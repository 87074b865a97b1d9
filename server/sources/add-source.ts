import path from 'node:path';
import { listWorkspaces } from '../catalog/accounts/workspaces.ts';
import type { Catalog } from '../catalog/schema.ts';
import { addSource, listAllSources, type SourceRow } from '../catalog/sources/sources.ts';
import { type LocateOptions, locateSource, type SourceLocation } from './locate-source.ts';

type Wanted = { name?: string | undefined; include: string[]; exclude: string[] };

/** Adds a source to a workspace. @param place as `locateSource` found it @param managed whether the operator adds it */
export function createSource(
  db: Catalog,
  workspaceId: string,
  { name, include, exclude }: Wanted,
  place: SourceLocation,
  managed: boolean,
): Promise<SourceRow | 'taken' | 'full'> {
  const given = name ?? path.posix.basename(place.location.replaceAll('\\', '/')).slice(0, 100);
  return addSource(db, workspaceId, { ...place, name: given, include, exclude, managed });
}

/**
 * Adds the sources of the setting `SOURCES` that are not there yet, to the first workspace. Those that are there may be away. Throws `SourceError`.
 */
export async function addConfiguredSources(
  db: Catalog,
  configured: { name: string; location: string }[],
  options: Omit<LocateOptions, 'roots'>,
): Promise<void> {
  const [workspace] = await listWorkspaces(db);
  if (!workspace || configured.length === 0) return;
  const known = (await listAllSources(db)).filter(({ workspace_id }) => workspace_id === workspace.id);
  for (const { name, location } of configured) {
    if (known.some((source) => source.name === name || source.location === location)) continue;
    const place = await locateSource(location, { ...options, roots: null });
    await createSource(db, workspace.id, { name, include: [], exclude: [] }, place, true);
  }
}

import { pathOnMachine } from '../../../contract/map-path.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readPathMappings, readSourcePlaces } from '../../catalog/sources/sources.ts';
import { toItemSource } from '../../sources/show-source.ts';

/**
 * What says where the originals of sources are, for programs that open them there; null of one that was uploaded.
 * @param machine whose path mappings are used; null: paths are those of the service
 */
export async function createLocator(
  db: Catalog,
  workspaceId: string,
  machine: string | null,
): Promise<(media: Pick<MediaRow, 'source_id' | 'source_path'>) => string | null> {
  const places = await readSourcePlaces(db, workspaceId);
  const mappings = machine === null ? [] : await readPathMappings(db, workspaceId);
  return (media) => {
    const location = toItemSource(places, media)?.location;
    return location === undefined ? null : machine === null ? location : pathOnMachine(location, mappings, machine);
  };
}

import type { ItemSource, Source } from '../../contract/sources.ts';
import { playsRendition } from '../assets/asset-store.ts';
import { originalAsset } from '../assets/asset-urls.ts';
import type { MediaRow } from '../catalog/media/media-items.ts';
import type { SourcePlace, SourceRow } from '../catalog/sources/sources.ts';
import { stateOf } from './source-state.ts';

/** Sources and places in them as the API shows them. */

/** Items of a source were counted as indexed since so long ago, seconds. */
export const rateSeconds = 600;

/** @param counts items by their states @param indexed items that were indexed in the last `rateSeconds` */
export function toSource(row: SourceRow, counts: Record<string, number> = {}, indexed = 0): Source {
  const { pending = 0, indexing = 0, complete = 0, error = 0 } = counts;
  const left = pending + indexing;
  const scan = row.scan === null ? null : (JSON.parse(row.scan) as Source['scan']);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    location: row.location,
    include: JSON.parse(row.include) as string[],
    exclude: JSON.parse(row.exclude) as string[],
    managed: row.managed === 1,
    state: stateOf(row),
    problem: row.problem_code === null ? null : { code: row.problem_code, message: row.problem_message ?? '' },
    offline_since: row.offline_since,
    watching: row.watching === 1,
    scan,
    last_scan: row.last_scan === null ? null : (JSON.parse(row.last_scan) as Source['last_scan']),
    files: { total: row.file_count, bytes: row.bytes, failed: row.failed_count },
    items: { pending, indexing, complete, error },
    seconds_left: left === 0 || indexed === 0 ? null : Math.round((left * rateSeconds) / indexed),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Where the original of an item is in its source; null: it was uploaded. @param places of the sources of the workspace */
export function toItemSource(
  places: ReadonlyMap<string, SourcePlace>,
  { source_id, source_path: path }: Pick<MediaRow, 'source_id' | 'source_path'>,
): ItemSource | null {
  const place = source_id === null ? undefined : places.get(source_id);
  if (!place || path === null) return null;
  const { id, name, location, offline_since } = place;
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return { id, name, path, folder, location: `${location}/${path}`, offline: offline_since !== null };
}

/** What a browser plays or shows: the original where it is there and plays, else what was made of it. */
export function playedAsset(row: Pick<MediaRow, 'rendition_file' | 'poster_file'>, isOffline: boolean): string {
  if (playsRendition(row, isOffline)) return row.rendition_file;
  return isOffline && row.poster_file !== null ? row.poster_file : originalAsset;
}

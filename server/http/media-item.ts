import type { MediaItem } from '../../contract/media.ts';
import { downloadAsset, originalAsset, signAssetUrl } from '../assets/asset-urls.ts';
import type { MediaRow } from '../catalog/media-items.ts';
import type { Secrets } from '../secrets.ts';

/** A stored item as the API shows it, with signed addresses. */
export function toMediaItem(row: MediaRow, secrets: Secrets, baseUrl: string): MediaItem {
  const urlOf = (asset: string) => signAssetUrl(secrets, baseUrl, row, asset);
  const { status } = row;
  return {
    id: row.id,
    filename: row.filename,
    type: row.type,
    status,
    progress: row.stage === null ? null : { stage: row.stage, fraction: row.fraction ?? 0 },
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    warning: row.warning_code === null ? null : { code: row.warning_code, message: row.warning_message ?? '' },
    creator_id: row.creator_id,
    category_id: row.category_id,
    duration: row.duration,
    width: row.width,
    height: row.height,
    size: row.size,
    mime_type: row.mime_type,
    sha256: row.sha256,
    chunk_count: row.chunk_count,
    url: status === 'complete' ? urlOf(row.rendition_file ?? originalAsset) : null,
    download_url: urlOf(downloadAsset),
    thumbnail: row.poster_file === null ? null : urlOf(row.poster_file),
    placeholder: row.placeholder,
    created_at: row.created_at,
    updated_at: row.updated_at,
    indexed_at: row.indexed_at,
  };
}

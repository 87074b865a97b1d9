import type { z } from 'zod';
import type { shareOperations } from '../../../../contract/shares.ts';
import { signAssetUrl } from '../../../assets/asset-urls.ts';
import type { ListedShare } from '../../../catalog/shares/shares.ts';
import type { Secrets } from '../../../platform/crypto/secrets.ts';
import { shareUrl } from './shared-page.ts';

type Share = z.output<typeof shareOperations.createShare.data>;

/** A public link as the API shows it, with its token. */
export function toShare(row: ListedShare, secrets: Secrets, baseUrl: string): Share {
  const owner = { workspace_id: row.workspace_id, id: row.media_id };
  return {
    id: row.id,
    url: shareUrl(baseUrl, secrets.unseal(row.sealed)),
    media_id: row.media_id,
    filename: row.filename,
    type: row.type,
    start: row.start_time,
    end: row.end_time,
    title: row.title,
    thumbnail: row.poster_file === null ? null : signAssetUrl(secrets, baseUrl, owner, row.poster_file),
    created_by: row.person,
    created_at: row.created_at,
    expires_at: row.expires_at,
    views: row.views,
  };
}

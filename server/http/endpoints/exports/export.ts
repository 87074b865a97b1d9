import type { MediaExport } from '../../../../contract/exports.ts';
import { signFileUrl } from '../../../assets/asset-urls.ts';
import type { Export } from '../../../delivery/export/exports.ts';
import type { Secrets } from '../../../platform/crypto/secrets.ts';

/** What stands in the path of a file in place of an item. */
export const exportsFolder = 'exports';

/** An export as the API shows it, with a signed URL. */
export function toExport(found: Export, { secrets }: { secrets: Secrets }, baseUrl: string): MediaExport {
  const { id, request, status, progress, error, produced, expiresAt } = found;
  return {
    id,
    format: request.format,
    status,
    progress,
    error,
    filename: request.filename,
    size: produced?.size ?? null,
    lossless: produced?.lossless ?? null,
    start: produced?.span?.start ?? null,
    end: produced?.span?.end ?? null,
    url: signFileUrl(secrets, baseUrl, [request.workspaceId, exportsFolder, id]),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

import type { MediaExport } from '../../../../contract/exports.ts';
import { signFileUrl } from '../../../assets/asset-urls.ts';
import type { Secrets } from '../../../crypto/secrets.ts';
import type { Export, Exports } from '../../../export/exports.ts';

/** What stands in the path of a file in place of an item. */
export const exportsFolder = 'exports';

/** An export as the API shows it, with a signed URL. */
export async function toExport(
  entry: Export,
  { exports, secrets }: { exports: Exports; secrets: Secrets },
  baseUrl: string,
): Promise<MediaExport> {
  const { id, request, status, error, produced, expiresAt } = entry;
  return {
    id,
    format: request.format,
    status,
    progress: await exports.readProgress(entry),
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

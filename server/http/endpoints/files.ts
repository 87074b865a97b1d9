import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ApiError, notFoundError } from '../../api-error.ts';
import { type AssetStore, original, rendition } from '../../assets/asset-store.ts';
import { downloadAsset, filesPath, isSignatureValid, originalAsset } from '../../assets/asset-urls.ts';
import { checkLength } from '../../assets/check-original.ts';
import { findMedia, type MediaRow } from '../../catalog/media-items.ts';
import { recordOriginalCheck } from '../../catalog/original-checks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Secrets } from '../../crypto/secrets.ts';
import { sendAsset } from '../protocol/send-asset.ts';
import { problemMessages } from './media/media-item.ts';

const renditionTypes: Record<string, string> = {
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/** Serves originals and renditions under their signed addresses, with byte ranges. */
export function serveFiles(
  app: FastifyInstance,
  { db, assets, secrets }: { db: Catalog; assets: AssetStore; secrets: Secrets },
): void {
  /** A file of another length than what was uploaded is not sent: it is no longer that. The item says so from then on. */
  async function refuseDamaged(media: MediaRow, log: FastifyBaseLogger): Promise<void> {
    const problem = await checkLength(assets, media);
    if (!problem) return;
    // It may have been deleted since its row was read.
    if (!(await findMedia(db, media.workspace_id, media.id))) throw notFoundError('file');
    await recordOriginalCheck(db, media, problem);
    log.error({ workspace: media.workspace_id, media: media.id, problem }, 'an original is not as uploaded');
    throw new ApiError(problem, problemMessages[problem]);
  }

  app.get<{
    Params: { workspaceId: string; mediaId: string; asset: string };
    Querystring: { expires?: string; signature?: string };
  }>(`${filesPath}/:workspaceId/:mediaId/:asset`, async (request, reply) => {
    const { expires, signature } = request.query;
    const address = request.url.split('?')[0] ?? '';
    if (
      typeof expires !== 'string' ||
      typeof signature !== 'string' ||
      !isSignatureValid(secrets, address, expires, signature)
    ) {
      throw new ApiError('forbidden', 'This address has expired or was altered. Ask the API for a new one.');
    }
    const { workspaceId, mediaId, asset } = request.params;
    const media = await findMedia(db, workspaceId, mediaId);
    if (!media) throw notFoundError('file');
    const isOriginal = asset === originalAsset || asset === downloadAsset;
    const type = isOriginal ? media.mime_type : renditionTypes[path.extname(asset)];
    if (!type) throw notFoundError('file');
    if (isOriginal) await refuseDamaged(media, request.log);
    void reply
      .type(type)
      .header('Cache-Control', 'private, max-age=21600')
      // Other origins may show it (a dashboard pointed at this service): the signature is the permission.
      .header('Cross-Origin-Resource-Policy', 'cross-origin')
      .header('Access-Control-Allow-Origin', '*');
    if (asset === downloadAsset) {
      const name = encodeURIComponent(media.filename).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
      void reply.header('Content-Disposition', `attachment; filename*=UTF-8''${name}`);
    }
    return sendAsset(request, reply, assets, isOriginal ? original(media) : rendition(media, asset));
  });
}

import path from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { original, rendition } from '../../assets/asset-store.ts';
import { downloadAsset, filesPath, originalAsset } from '../../assets/asset-urls.ts';
import { checkLength } from '../../assets/check-original.ts';
import { findMedia, findStoredMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { cardWidths, createCardThumbnails } from '../../delivery/thumbnails/card-thumbnails.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { attachmentNamed, checkSignature, sendAsset, sendFile } from '../protocol/responses.ts';
import { problemMessages } from './media-item.ts';

const renditionTypes: Record<string, string> = {
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

type FileRequest = FastifyRequest<{
  Params: { workspaceId: string; mediaId: string; asset: string };
  Querystring: { card?: unknown };
}>;

/**
 * `GET /files/:workspaceId/:mediaId/:asset`: originals and renditions under their signed URLs, with byte ranges. `card=320` or `card=640`, which
 * the signature does not cover: a thumbnail cut to 16:9, that wide at most.
 */
export function serveFiles(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, assets, secrets } = dependencies;
  const cards = createCardThumbnails(assets);
  app.get(`${filesPath}/:workspaceId/:mediaId/:asset`, async (request: FileRequest, reply) => {
    checkSignature(secrets, request);
    const { workspaceId, mediaId, asset } = request.params;
    const media = await findStoredMedia(db, workspaceId, mediaId);
    // An item in the trash serves only its thumbnail, for the list of the trash.
    if (!media || (media.trashed_at !== null && asset !== media.poster_file)) throw notFoundError('file');
    const isOriginal = asset === originalAsset || asset === downloadAsset;
    const type = isOriginal ? media.mime_type : renditionTypes[path.extname(asset)];
    if (!type) throw notFoundError('file');
    if (isOriginal) await checkOriginal(dependencies, media, request);
    void reply
      .type(type)
      .header('Cache-Control', 'private, max-age=21600')
      // Other origins may show it (a dashboard connected to this service): the signature is the permission.
      .header('Cross-Origin-Resource-Policy', 'cross-origin')
      .header('Access-Control-Allow-Origin', '*');
    const width = cardWidths.find((each) => String(each) === request.query.card);
    if (width !== undefined && type === 'image/webp' && !isOriginal) {
      const thumbnail = rendition(media, asset);
      const status = await assets.stat(thumbnail);
      if (!status) throw notFoundError('file');
      const image = await cards.read(thumbnail, width);
      return sendFile(request, reply, { ...status, bytes: image.length }, (range) =>
        Readable.from([range ? image.subarray(range.start, range.end + 1) : image]),
      );
    }
    const disposition = asset === downloadAsset ? attachmentNamed(media.filename) : null;
    const file = isOriginal ? original(media) : rendition(media, asset);
    // A small image is here before the store could be asked for it. A HEAD is answered here: an address is signed for GET.
    const isWorthwhile = (isOriginal || type.startsWith('video/')) && request.method === 'GET';
    const link = isWorthwhile ? await assets.link(file, { contentType: type, disposition }) : null;
    // Asked again each time: of an address that has expired a cached answer would lead nowhere.
    if (link !== null) return reply.header('Cache-Control', 'private, no-store').redirect(link, 302);
    if (disposition !== null) void reply.header('Content-Disposition', disposition);
    return sendAsset(request, reply, assets, file);
  });
}

/**
 * Throws `original_missing` or `original_damaged` for an original that has another length than what was uploaded, and records it on the
 * item.
 */
async function checkOriginal({ db, assets }: Dependencies, media: MediaRow, { log }: FastifyRequest): Promise<void> {
  const problem = await checkLength(assets, media);
  if (!problem) return;
  // It may have been deleted since its row was read.
  if (!(await findMedia(db, media.workspace_id, media.id))) throw notFoundError('file');
  await recordOriginalCheck(db, media, problem);
  log.error({ workspace: media.workspace_id, media: media.id, problem }, 'original is not as uploaded');
  throw new ApiError(problem, problemMessages[problem]);
}

import path from 'node:path';
import { cutFrom } from '@media-search/media/picture-sizes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { original, rendition } from '../../assets/asset-store.ts';
import { downloadAsset, filesPath, originalAsset } from '../../assets/asset-urls.ts';
import { checkLength } from '../../assets/check-original.ts';
import { findMedia, findStoredMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { recordOriginalCheck } from '../../catalog/media/original-checks.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { startDeadline } from '../limits/deadline.ts';
import { attachmentNamed, checkSignature, sendAsset } from '../protocol/responses.ts';
import { problemMessages } from './media-item.ts';

const renditionTypes: Record<string, string> = {
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.mp4': 'video/mp4',
  '.m4a': 'audio/mp4',
  '.json': 'application/json',
  '.webm': 'video/webm',
};

type FileRequest = FastifyRequest<{
  Params: { workspaceId: string; mediaId: string; asset: string };
  Querystring: { v?: unknown };
}>;

/** How long making a picture that is missing may take, seconds. */
const maxMakingSeconds = 60;

/**
 * `GET /files/:workspaceId/:mediaId/:asset`: originals and renditions under their signed URLs, with byte ranges. A picture that an earlier
 * release did not make is made. `v`, which the signature does not cover, names the attempt that made the file: another one has another URL.
 */
export function serveFiles(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, assets, pictureFiles, secrets } = dependencies;
  app.get(`${filesPath}/:workspaceId/:mediaId/:asset`, async (request: FileRequest, reply) => {
    checkSignature(secrets, request);
    const { workspaceId, mediaId, asset } = request.params;
    const media = await findStoredMedia(db, workspaceId, mediaId);
    if (!media || !isServed(media, asset)) throw notFoundError('file');
    const isOriginal = asset === originalAsset || asset === downloadAsset;
    const type = isOriginal ? media.mime_type : renditionTypes[path.extname(asset)];
    if (!type) throw notFoundError('file');
    if (isOriginal) await checkOriginal(dependencies, media, request);
    const isUnchanging = !isOriginal && request.query.v === String(media.renditions_token ?? 0);
    void reply
      .type(type)
      .header('Cache-Control', isUnchanging ? 'private, max-age=43200, immutable' : 'private, max-age=21600')
      // Other origins may show it (a dashboard connected to this service): the signature is the permission.
      .header('Cross-Origin-Resource-Policy', 'cross-origin')
      .header('Access-Control-Allow-Origin', '*');
    const disposition = asset === downloadAsset ? attachmentNamed(media.filename) : null;
    const file = isOriginal ? original(media) : rendition(media, asset);
    // A small image is here before the store could be asked for it. A HEAD is answered here: an address is signed for GET.
    const isWorthwhile = (isOriginal || /^(video|audio)\//.test(type)) && request.method === 'GET';
    const link = isWorthwhile ? await assets.link(file, { contentType: type, disposition }) : null;
    // Asked again each time: of an address that has expired a cached answer would lead nowhere.
    if (link !== null) return reply.header('Cache-Control', 'private, no-store').redirect(link, 302);
    if (disposition !== null) void reply.header('Content-Disposition', disposition);
    if (type === 'image/webp' && !isOriginal && !(await assets.stat(file))) {
      using deadline = startDeadline(request, reply, maxMakingSeconds);
      await deadline.limit(pictureFiles.make(media, asset, deadline.signal));
    }
    return sendAsset(request, reply, assets, file);
  });
}

/** An item in the trash serves only its thumbnail, for the list of the trash. */
const isServed = ({ trashed_at: trashedAt, poster_file: poster }: MediaRow, asset: string): boolean =>
  trashedAt === null || asset === poster || cutFrom(asset, poster)?.from === poster;

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

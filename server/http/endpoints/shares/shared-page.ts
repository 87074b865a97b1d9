import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findMedia, type MediaRow } from '../../../catalog/media/media-items.ts';
import { findShare, type ShareRow } from '../../../catalog/shares/shares.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { sendAsset } from '../../protocol/send-asset.ts';
import { renderMissingPage, renderSharedPage } from './render-shared-page.ts';

/** Where public links lead: `/s/<token>`, and what its page loads below that. */
export const sharesPath = '/s';

export const shareUrl = (baseUrl: string, token: string): string => `${baseUrl}${sharesPath}/${token}`;

/** The page has no scripts and may load its own video or image, and nothing else. */
const pagePolicy =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type ShareRequest = FastifyRequest<{ Params: { token: string } }>;

/**
 * `GET /s/:token` and its files, for anyone who has the link. Each request asks again whether the link works: once it is revoked, expired, or its
 * item in the trash, the next range of bytes is refused, as an unknown link is. So nothing of it may stay in a cache.
 */
export function serveSharedPage(app: FastifyInstance, dependencies: Dependencies): void {
  const { assets, publicUrl, shareDownloads, shareFiles, shareViews } = dependencies;
  app.get(`${sharesPath}/:token`, async (request: ShareRequest, reply) => {
    const found = await findShared(dependencies, request);
    void addHeaders(reply).type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy);
    if (!found) return reply.status(404).send(renderMissingPage());
    const { share, media } = found;
    if (request.method === 'GET') shareViews.note(share);
    const thumbnail = await shareFiles.thumbnail(share, media);
    const { mimeType } = await shareFiles.open(share, media);
    const url = shareUrl(getBaseUrl(request, publicUrl), request.params.token);
    return reply.send(renderSharedPage({ share, media, url, mimeType, hasThumbnail: thumbnail !== null }));
  });

  app.get(`${sharesPath}/:token/media`, async (request: ShareRequest, reply) => {
    const { share, media } = await requireShared(dependencies, request);
    const { asset, mimeType } = await shareFiles.open(share, media);
    void addHeaders(reply).type(mimeType).header('Content-Disposition', 'inline');
    shareDownloads.add(share.id, reply.raw);
    return sendAsset(request, reply, assets, asset);
  });

  app.get(`${sharesPath}/:token/thumbnail`, async (request: ShareRequest, reply) => {
    const { share, media } = await requireShared(dependencies, request);
    const thumbnail = await shareFiles.thumbnail(share, media);
    if (!thumbnail) throw notFoundError('file');
    void addHeaders(reply).type(thumbnail.mimeType);
    return sendAsset(request, reply, assets, thumbnail.asset);
  });
}

const addHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('Cache-Control', 'private, no-store')
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Robots-Tag', 'noindex, nofollow, noarchive');

/** What a request may see; undefined for a link that does not work, whyever. Throws `throttled` after many of these from one address. */
function findShared(
  { db, signInLimits }: Dependencies,
  { ip, params }: ShareRequest,
): Promise<{ share: ShareRow; media: MediaRow } | undefined> {
  return signInLimits.shares.look(ip, async () => {
    const share = await findShare(db, params.token);
    const media = share && (await findMedia(db, share.workspace_id, share.media_id));
    return share && media?.status === 'complete' ? { share, media } : undefined;
  });
}

async function requireShared(dependencies: Dependencies, request: ShareRequest) {
  const found = await findShared(dependencies, request);
  if (!found) throw notFoundError('file');
  return found;
}

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import { listSharedItems, listShownIds } from '../../catalog/shares/shared-items.ts';
import { toSafeName } from '../../delivery/export/file-names.ts';
import { writeZip } from '../../delivery/export/write-zip.ts';
import { listEntries, openDownload } from '../../delivery/shares/share-archive.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import { FairQueue } from '../../platform/fair-queue.ts';
import type { Dependencies } from '../dependencies.ts';
import { clientGoneError } from '../protocol/connections.ts';
import { getBaseUrl, networkOf } from '../protocol/requests.ts';
import { attachmentNamed, sendAsset } from '../protocol/responses.ts';
import { createGuestLimits, listShownComments, writeGuestComment } from '../shared-page/guest-comments.ts';
import { renderMissingPage, renderPasswordPage } from '../shared-page/html.ts';
import type { Draft } from '../shared-page/render-comments.ts';
import { type GalleryPlace, renderGallery, renderItem } from '../shared-page/render-shared.ts';
import {
  findVisit,
  keyOf,
  openShare,
  requireItem,
  type VisitedShare,
  type VisitRequest,
} from '../shared-page/visit.ts';

/** Where public links lead: `/s/<token>`, and what its pages load below that. */
export const sharesPath = '/s';

export const shareUrl = (baseUrl: string, token: string): string => `${baseUrl}${sharesPath}/${token}`;

/** The pages have one script of the service's own, and may load their own videos and images, send their own forms, and nothing else. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Longest form, bytes. */
const maxFormBytes = 24 * 1024;
/** Archives that are written at a time, and those of one network: a slow client keeps its place until it has everything. */
const maxArchives = { all: 12, each: 3 };

const addHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('Cache-Control', 'private, no-store')
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Robots-Tag', 'noindex, nofollow, noarchive');

const sendPage = (reply: FastifyReply, html: string, status = 200): FastifyReply =>
  addHeaders(reply)
    .status(status)
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', pagePolicy)
    .send(html);

/** The script of the pages, where the dashboard was built: they can be looked at without it. */
function findScript(directory: string): string | null {
  try {
    const name = readdirSync(path.join(directory, 'assets')).find((file) => /^share-page-[\w-]+\.js$/.test(file));
    return name === undefined ? null : `/assets/${name}`;
  } catch {
    return null;
  }
}

/**
 * `GET /s/:token` and what is below it, for anyone who has the link. Each request asks again whether the link works: once it is revoked, expired, or
 * its item in the trash, the next range of bytes is refused, as an unknown link is. So nothing of it may stay in a cache.
 */
export async function serveSharedPage(app: FastifyInstance, dependencies: Dependencies): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(cookie);
    // Forms alone: a field of any other body may be no text.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxFormBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    // Pages send `Origin: null`, because they tell no referrer, so browsers are asked otherwise.
    scope.addHook('onRequest', async ({ method, headers }) => {
      if (method === 'POST' && ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site'])))
        throw new ApiError('forbidden', 'Forms of other sites are refused here.');
    });
    servePages(scope, dependencies);
    serveShareFiles(scope, dependencies);
    serveForms(scope, dependencies);
  });
}

/** What a page is made from. */
type Shown = { request: VisitRequest; reply: FastifyReply; share: VisitedShare; media: MediaRow; draft?: Draft };

const emptyDraft = (request: VisitRequest): Draft => ({
  name: request.cookies['guest_name'] ?? '',
  text: '',
  at: '',
  problem: null,
});

/** The page of one item, alone or within its gallery. */
async function sendItem(
  dependencies: Dependencies,
  { request, reply, share, media, draft }: Shown,
  script: string | null,
): Promise<FastifyReply> {
  const { db, publicUrl, shareFiles } = dependencies;
  const page = shareUrl(getBaseUrl(request, publicUrl), request.params.token);
  const { key } = request.params;
  const url = key === undefined ? page : `${page}/${key}`;
  const thumbnail = await shareFiles.thumbnail(share, media);
  const { mimeType } = await shareFiles.open(share, media);
  const action = share.comments === 'write' ? `${new URL(url).pathname}/comments` : null;
  const talk =
    share.comments === 'none'
      ? null
      : {
          comments: await listShownComments(db, share, media),
          action,
          isVideo: media.type !== 'image',
          draft: draft ?? emptyDraft(request),
        };
  const place = key === undefined ? null : await findPlace(dependencies, share, media.id, new URL(page).pathname);
  const shown = { share, media, url, mimeType, hasThumbnail: thumbnail !== null, place, talk };
  return sendPage(reply, renderItem(shown, script), draft?.problem ? 400 : 200);
}

/** Where an item stands in its gallery. */
async function findPlace(
  { db, secrets }: Dependencies,
  share: VisitedShare,
  mediaId: string,
  gallery: string,
): Promise<GalleryPlace> {
  const ids = await listShownIds(db, share);
  const at = ids.indexOf(mediaId);
  const pathTo = (id: string | undefined) => (id === undefined ? null : `${gallery}/${keyOf(secrets, share, id)}`);
  return { position: at + 1, count: ids.length, gallery, previous: pathTo(ids[at - 1]), next: pathTo(ids[at + 1]) };
}

function servePages(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, publicUrl, secrets, shareViews, dashboardDirectory } = dependencies;
  const script = findScript(dashboardDirectory);

  app.get(`${sharesPath}/:token`, async (request: VisitRequest, reply) => {
    const visit = await findVisit(dependencies, request);
    if (!visit) return sendPage(reply, renderMissingPage(), 404);
    const { share, media, isOpen } = visit;
    const url = shareUrl(getBaseUrl(request, publicUrl), request.params.token);
    if (!isOpen) return sendPage(reply, renderPasswordPage(`${new URL(url).pathname}/password`, null));
    if (request.method === 'GET') shareViews.note(share);
    if (media) return sendItem(dependencies, { request, reply, share, media }, script);
    const items = (await listSharedItems(db, share)).map((item) => ({
      media: item,
      key: keyOf(secrets, share, item.id),
      hasThumbnail: item.poster_file !== null,
    }));
    return sendPage(reply, renderGallery(share, items, url, script));
  });

  app.get(`${sharesPath}/:token/:key`, async (request: VisitRequest, reply) => {
    const shown = await requireItem(dependencies, request).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    });
    if (!shown) return sendPage(reply, renderMissingPage(), 404);
    return sendItem(dependencies, { request, reply, ...shown }, script);
  });

  app.post(`${sharesPath}/:token/comments`, postComment);
  app.post(`${sharesPath}/:token/:key/comments`, postComment);

  const limits = createGuestLimits(dependencies.counters);
  async function postComment(request: VisitRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { share, media } = await requireItem(dependencies, request);
    if (share.comments !== 'write') throw notFoundError('page');
    const { name = '', text = '', at = '' } = (request.body ?? {}) as Record<string, string>;
    const written = { name: name.slice(0, 200), text: text.slice(0, 8000), at: at.slice(0, 20) };
    const problem = await writeGuestComment({ db, limits }, { share, media, ip: request.ip }, written);
    if (problem !== null) {
      return sendItem(dependencies, { request, reply, share, media, draft: { ...written, problem } }, script);
    }
    const url = new URL(`${getBaseUrl(request, publicUrl)}${request.url}`);
    const page = url.pathname.replace(/\/comments$/, '');
    void reply.setCookie('guest_name', written.name.trim(), {
      path: sharesPath,
      httpOnly: true,
      sameSite: 'lax',
      secure: url.protocol === 'https:',
      maxAge: 30 * 86_400,
    });
    return addHeaders(reply).redirect(`${page}#comments`, 303);
  }
}

/** The form of the password. */
function serveForms(app: FastifyInstance, dependencies: Dependencies): void {
  app.post(`${sharesPath}/:token/password`, async (request: VisitRequest, reply) => {
    const visit = await findVisit(dependencies, request);
    if (!visit) return sendPage(reply, renderMissingPage(), 404);
    const { pathname } = new URL(shareUrl(getBaseUrl(request, dependencies.publicUrl), request.params.token));
    const { password = '' } = (request.body ?? {}) as Record<string, string>;
    const refuse = (problem: string, status: number) =>
      sendPage(reply, renderPasswordPage(`${pathname}/password`, problem), status);
    try {
      const isRight =
        visit.isOpen ||
        (await openShare(dependencies, visit.share, password.slice(0, 200), { request, reply, path: pathname }));
      return isRight ? await addHeaders(reply).redirect(pathname, 303) : await refuse('This is not the password.', 403);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'throttled') throw error;
      void reply.headers(error.headers);
      return refuse('There were too many attempts. Try again in some minutes.', 429);
    }
  });
}

/** The files that the pages show and give to be stored. */
function serveShareFiles(app: FastifyInstance, dependencies: Dependencies): void {
  const { assets, shareDownloads, shareFiles } = dependencies;
  const below = [`${sharesPath}/:token`, `${sharesPath}/:token/:key`];
  for (const place of below) {
    app.get(`${place}/media`, async (request: VisitRequest, reply) => {
      const { share, media } = await requireItem(dependencies, request);
      const { asset, mimeType } = await shareFiles.open(share, media);
      void addHeaders(reply).type(mimeType).header('Content-Disposition', 'inline');
      shareDownloads.add(share.id, reply.raw);
      return sendAsset(request, reply, assets, asset);
    });

    app.get(`${place}/thumbnail`, async (request: VisitRequest, reply) => {
      const { share, media } = await requireItem(dependencies, request);
      const thumbnail = await shareFiles.thumbnail(share, media);
      if (!thumbnail) throw notFoundError('file');
      void addHeaders(reply).type(thumbnail.mimeType);
      return sendAsset(request, reply, assets, thumbnail.asset);
    });
  }
  serveDownloads(app, dependencies);
}

function serveDownloads(app: FastifyInstance, dependencies: Dependencies): void {
  const { assets, db, shareDownloads, shareDownloadCounts } = dependencies;
  const archives = new FairQueue({ concurrency: maxArchives.all });

  const sendOne = async (request: VisitRequest, reply: FastifyReply) => {
    const { share, media } = await requireItem(dependencies, request);
    if (share.download === 'none') throw notFoundError('file');
    const file = await openDownload(dependencies, share, media, share.title ?? media.type);
    void addHeaders(reply).type(file.mimeType).header('Content-Disposition', attachmentNamed(file.name));
    // Clients that store in parts begin with the first.
    if (request.method === 'GET' && /^(?:bytes=0-|$)/.test(request.headers.range ?? ''))
      shareDownloadCounts.note(share);
    shareDownloads.add(share.id, reply.raw);
    return sendAsset(request, reply, assets, file.asset);
  };

  const sendAll = async (request: VisitRequest, reply: FastifyReply, share: VisitedShare) => {
    const ids = await listShownIds(db, share);
    const name = `${toSafeName(share.title ?? 'shared pictures')}.zip`;
    const addNames = () =>
      addHeaders(reply).type('application/zip').header('Content-Disposition', attachmentNamed(name));
    if (request.method === 'HEAD') return addNames().send();
    // Of a connection that is closed already nothing would tell the end.
    if (reply.raw.closed) throw clientGoneError();
    const endTurn = archives.take({ owner: networkOf(request.ip), atOnce: maxArchives.each });
    if (!endTurn) {
      throw new ApiError('unavailable', 'Many archives are being written. Try again in 30 seconds.', {
        headers: { 'Retry-After': '30' },
      });
    }
    reply.raw.once('close', endTurn);
    shareDownloadCounts.note(share);
    shareDownloads.add(share.id, reply.raw);
    return addNames().send(Readable.from(writeZip(listEntries(dependencies, share, ids))));
  };

  app.get(`${sharesPath}/:token/:key/download`, sendOne);
  app.get(`${sharesPath}/:token/download`, async (request: VisitRequest, reply) => {
    const visit = await findVisit(dependencies, request);
    if (!visit?.isOpen || visit.share.download === 'none') throw notFoundError('file');
    return visit.media ? sendOne(request, reply) : sendAll(request, reply, visit.share);
  });
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findMedia, type MediaRow } from '../../catalog/media/media-items.ts';
import { findShare, type ShareRow } from '../../catalog/shares/shares.ts';
import { notFoundError } from '../../errors/api-error.ts';
import type { Dependencies } from '../dependencies.ts';
import { getBaseUrl } from '../protocol/requests.ts';
import { sendAsset } from '../protocol/responses.ts';

/** The public page of a link: plain HTML, which needs no script, no session and nothing of the dashboard. */

type Shared = {
  share: Pick<ShareRow, 'title' | 'expires_at'>;
  media: Pick<MediaRow, 'type' | 'width' | 'height'>;
  /** The URL of the page, without a slash at its end. */
  url: string;
  /** The type of the file that it shows. */
  mimeType: string;
  hasThumbnail: boolean;
};

function renderSharedPage({ share, media, url, mimeType, hasThumbnail }: Shared): string {
  const isVideo = media.type === 'video';
  const title = share.title ?? (isVideo ? 'Shared video' : 'Shared photo');
  const size = media.width && media.height ? ` width="${media.width}" height="${media.height}"` : '';
  // The page may be reached under another address than the one that chat programs are told.
  const below = `${new URL(url).pathname}/`;
  const poster = hasThumbnail ? ` poster="${escape(below)}thumbnail"` : '';
  const name = escape(title);
  const shown = isVideo
    ? `<video src="${escape(below)}media" controls playsinline preload="metadata" aria-label="${name}"${poster}${size}></video>`
    : `<img src="${escape(below)}media" alt="${name}"${size}>`;
  const properties: [string, string][] = [
    ['og:title', title],
    ['og:type', isVideo ? 'video.other' : 'website'],
    ['og:url', url],
    ...(hasThumbnail ? ([['og:image', `${url}/thumbnail`]] as [string, string][]) : []),
    ...(isVideo
      ? ([
          ['og:video', `${url}/media`],
          ['og:video:type', mimeType],
        ] as [string, string][])
      : []),
  ];
  return page(
    title,
    `<main>${shown}<h1>${name}</h1><p>Available until ${formatDay(share.expires_at)}</p></main>`,
    properties.map(([property, content]) => `<meta property="${property}" content="${escape(content)}">`).join(''),
  );
}

/** The same for every link that does not work, so that a response does not tell which of them once did. */
const renderMissingPage = (): string =>
  page(
    'This link does not work',
    '<main class="missing"><h1>This link does not work</h1><p>It may have expired or been revoked. Ask whoever sent it for a new one.</p></main>',
    '',
  );

const formatDay = (timestamp: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(timestamp));

function page(title: string, body: string, head: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer">
<title>${escape(title)}</title>${head}<style>${style}</style></head><body>${body}</body></html>
`;
}

/** The colours of the dashboard (`src/index.css`). */
const style = `:root{color-scheme:light dark;--canvas:#f7f7f8;--ink:#16181d;--quiet:#5c6370}
@media (prefers-color-scheme:dark){:root{--canvas:#0e0f12;--ink:#eceef2;--quiet:#9aa2b1}}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:grid;place-items:center;background:var(--canvas);color:var(--ink);
font:1rem/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:min(72rem,100%);padding:clamp(0px,3vw,2rem)}
video,img{display:block;width:100%;height:auto;max-height:80dvh;object-fit:contain;background:#000;border-radius:min(10px,1vw)}
img{background:none}
h1{margin:1rem clamp(1rem,2vw,0rem) 0;font-size:1.125rem;font-weight:600;overflow-wrap:anywhere}
p{margin:.25rem clamp(1rem,2vw,0rem) 1rem;color:var(--quiet);font-size:.875rem}
.missing{text-align:center;max-width:28rem}`;

/** Text for HTML, also within attributes. */
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

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

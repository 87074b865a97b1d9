import type { MediaRow } from '../../../catalog/media/media-items.ts';
import type { ShareRow } from '../../../catalog/shares/shares.ts';

/** The public page of a link: plain HTML, which needs no script, no session and nothing of the dashboard. */

type Shared = {
  share: Pick<ShareRow, 'title' | 'expires_at'>;
  media: Pick<MediaRow, 'type' | 'width' | 'height'>;
  /** Of the page, without a slash at its end. */
  url: string;
  /** Of what it shows. */
  mimeType: string;
  hasThumbnail: boolean;
};

export function renderSharedPage({ share, media, url, mimeType, hasThumbnail }: Shared): string {
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

/** The same for every link that does not work, so that nobody learns which of them once did. */
export const renderMissingPage = (): string =>
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

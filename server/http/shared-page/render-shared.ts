import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { ShareRow } from '../../catalog/shares/shares.ts';
import { escapeHtml, formatClock, formatDay, renderPage, toHtml } from './html.ts';
import { renderTalk, type Talk } from './render-comments.ts';

/** A link as its pages show it. */
export type ShownShare = Pick<ShareRow, 'title' | 'note' | 'download' | 'expires_at'> & { person: string | null };
type ShownMedia = Pick<MediaRow, 'type' | 'width' | 'height' | 'duration'>;

const icon = (path: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
const icons = {
  download: icon('<path d="M12 3v12m0 0 4-4m-4 4-4-4M4 20h16"/>'),
  close: icon('<path d="M6 6l12 12M18 6 6 18"/>'),
  previous: icon('<path d="m15 5-7 7 7 7"/>'),
  next: icon('<path d="m9 5 7 7-7 7"/>'),
};

const describe = ({ person, expires_at }: ShownShare): string =>
  `${person === null ? '' : `Shared by ${escapeHtml(person)} · `}Available until ${formatDay(expires_at)}`;

const noteOf = ({ note }: ShownShare): string =>
  note === null ? '' : `<p class="note" dir="auto">${toHtml(note)}</p>`;

const toMeta = (properties: readonly (readonly [string, string])[]): string =>
  properties.map(([property, content]) => `<meta property="${property}" content="${escapeHtml(content)}">`).join('');

/** A picture that is much wider or higher than others would take the row of all. */
const ratioOf = ({ width, height }: ShownMedia): number =>
  width && height ? Math.min(3, Math.max(0.45, width / height)) : 4 / 3;

export type GalleryItem = {
  media: ShownMedia;
  /** Below the page, without a slash in front. */ key: string;
  hasThumbnail: boolean;
};

/** What items are called by their type. */
const nouns = { video: 'Video', image: 'Photo', audio: 'Recording' } as const;

/** The page of a collection or a selection: its pictures in rows, as they are. @param url of the page, without a slash at its end */
export function renderGallery(
  share: ShownShare,
  items: readonly GalleryItem[],
  url: string,
  script: string | null,
): string {
  const below = escapeHtml(new URL(url).pathname);
  const title = share.title ?? 'Shared pictures';
  const name = escapeHtml(title);
  const entries = items.map(({ media, key, hasThumbnail }, i) => {
    const what = `${nouns[media.type]} ${i + 1} of ${items.length}`;
    const image = hasThumbnail
      ? `<img src="${below}/${key}/thumbnail" alt="${what}" loading="${i < 12 ? 'eager' : 'lazy'}" decoding="async">`
      : `<span class="hidden">${what}</span>`;
    const length = media.duration === null ? '' : `<span class="length">${formatClock(media.duration)}</span>`;
    return `<li style="--r:${ratioOf(media).toFixed(3)}"><a href="${below}/${key}">${image}${length}</a></li>`;
  });
  const first = items.find(({ hasThumbnail }) => hasThumbnail);
  const all =
    share.download === 'none' || items.length === 0
      ? ''
      : `<a class="button primary" href="${below}/download" download>${icons.download}Download all</a>`;
  const list =
    items.length === 0
      ? '<p class="empty quiet">There is nothing to see here at the moment.</p>'
      : `<ul class="rows" aria-label="Pictures">${entries.join('')}</ul>`;
  return renderPage({
    title,
    script,
    look: '',
    head: toMeta([
      ['og:title', title],
      ['og:type', 'website'],
      ['og:url', url],
      ...(first ? ([['og:image', `${url}/${first.key}/thumbnail`]] as const) : []),
    ]),
    body: `<main class="gallery"><header><div><h1 dir="auto">${name}</h1>${noteOf(share)}
<p class="quiet">${items.length} ${items.length === 1 ? 'item' : 'items'} · ${describe(share)}</p></div>${all}</header>${list}</main>`,
  });
}

/** The place of an item in a gallery, and the addresses around it. */
export type GalleryPlace = {
  position: number;
  count: number;
  gallery: string;
  previous: string | null;
  next: string | null;
};

export type ShownItem = {
  share: ShownShare;
  media: ShownMedia;
  /** The URL of the page, without a slash at its end. */
  url: string;
  /** The type of the file that it shows. */
  mimeType: string;
  hasThumbnail: boolean;
  /** Null: the link leads to this item alone. */
  place: GalleryPlace | null;
  talk: Talk | null;
};

/** The page of one item. Within a gallery it is dark, with the way to its neighbours. */
export function renderItem(item: ShownItem, script: string | null): string {
  const { share, media, url, place, talk } = item;
  const below = escapeHtml(new URL(url).pathname);
  const what = `Shared ${nouns[media.type].toLowerCase()}`;
  const title = share.title ?? what;
  const name = escapeHtml(title);
  const close = place
    ? `<a class="button icon" id="close" href="${escapeHtml(place.gallery)}" aria-label="Back to all">${icons.close}</a>`
    : '';
  const count = place ? `<span class="quiet">${place.position} of ${place.count}</span>` : '';
  const download =
    share.download === 'none'
      ? ''
      : `<a class="button" href="${below}/download" download>${icons.download}<span class="text">Download</span></a>`;
  const about = place ? '' : `<footer class="about">${noteOf(share)}<p class="quiet">${describe(share)}</p></footer>`;
  return renderPage({
    title: place ? `${title}, ${place.position} of ${place.count}` : title,
    script,
    look: `viewer${place ? ' dark' : ''}${talk ? ' talking' : ''}`,
    head: toMeta(propertiesOf(item, title)),
    body: `<header class="bar">${close}<h1 dir="auto">${name}</h1>${count}${download}</header>
<main class="stage">${renderMedia(item, below, place ? `${what} ${place.position}` : title)}${renderSteps(place)}</main>${about}${talk ? renderTalk(talk) : ''}`,
  });
}

function renderMedia({ media, hasThumbnail }: ShownItem, below: string, label: string): string {
  const size = media.width && media.height ? ` width="${media.width}" height="${media.height}"` : '';
  const poster = hasThumbnail ? ` poster="${below}/thumbnail"` : '';
  // A player of video plays sound too, below its picture.
  return media.type !== 'image'
    ? `<video src="${below}/media" controls playsinline preload="metadata" aria-label="${escapeHtml(label)}"${poster}${size}></video>`
    : `<img src="${below}/media" alt="${escapeHtml(label)}"${size}>`;
}

const renderSteps = (place: GalleryPlace | null): string =>
  (
    [
      ['previous', 'Previous', place?.previous],
      ['next', 'Next', place?.next],
    ] as const
  )
    .map(([name, label, href]) =>
      href
        ? `<a class="button icon step ${name}" id="${name}" href="${escapeHtml(href)}" aria-label="${label}">${icons[name]}</a>`
        : '',
    )
    .join('');

const propertiesOf = ({ media, url, hasThumbnail, mimeType }: ShownItem, title: string): [string, string][] => [
  ['og:title', title],
  ['og:type', media.type === 'video' ? 'video.other' : 'website'],
  ['og:url', url],
  ...(hasThumbnail ? ([['og:image', `${url}/thumbnail`]] as [string, string][]) : []),
  ...(media.type === 'video'
    ? ([
        ['og:video', `${url}/media`],
        ['og:video:type', mimeType],
      ] as [string, string][])
    : []),
];

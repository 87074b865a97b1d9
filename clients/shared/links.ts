import type { Client } from '../typescript/index.ts';

/** Where the service of a client is, without the path of its API. */
export const serviceUrl = ({ transport }: Client): string => transport.baseUrl.replace(/\/api\/v\d+$/, '');

/** Milliseconds name a frame exactly enough. */
const toMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/**
 * The page of the dashboard that shows an item.
 * @param start the second at which it begins to play
 */
export function pageLink(client: Client, mediaId: string, start = 0): string {
  const moment = start === 0 ? '' : `?t=${toMilliseconds(start)}`;
  return `${serviceUrl(client)}/media/${encodeURIComponent(mediaId)}${moment}`;
}

/** The address of a file that plays a span of it (W3C Media Fragments); of an image as it is. */
export function clipLink({ url, type, start, end }: { url: string; type: string; start: number; end: number }): string {
  if (type === 'image' || url.includes('#')) return url;
  return `${url}#t=${toMilliseconds(start)},${toMilliseconds(end)}`;
}

/** When a signed address expires (RFC 3339); null when it does not say. */
export function expiryOf(url: string): string | null {
  const expires = URL.canParse(url) ? Number(new URL(url).searchParams.get('expires') ?? Number.NaN) : Number.NaN;
  const date = new Date(expires * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

import type { SearchSource } from '../../api/queries.ts';
import { findQueryImage } from './query-images.ts';

/**
 * What is searched by, from the URL: words (`q`), a chosen image (`image`), or an item (`like`) with a moment (`at`, in seconds) or a chunk
 * (`chunk`); beside an image or item also words (`with`). A moment that is no number is left out. Null when the URL has none of these, `lost` for an image that a reload has dropped.
 */
export function readSource(search: URLSearchParams): SearchSource | 'lost' | null {
  const words = search.get('q')?.trim();
  if (words) return { words };
  const typed = search.get('with')?.trim();
  const also = typed ? { also: typed } : {};
  const name = search.get('image');
  if (name) {
    const image = findQueryImage(name);
    return image ? { ...image, ...also } : 'lost';
  }
  const media = search.get('like');
  if (!media) return null;
  const at = Number(search.get('at') || NaN);
  const chunk = search.get('chunk');
  return { media, ...(Number.isFinite(at) ? { at } : {}), ...(chunk ? { chunk } : {}), ...also };
}

import type { SearchSource } from '../../api/queries.ts';
import { findQueryImage } from './query-images.ts';

/**
 * What is searched by, from the address: words (`q`), a chosen image (`image`), or an item (`like`) with a moment (`at`) or
 * a chunk (`chunk`). `lost`: an image that did not survive a reload.
 */
export function readSource(search: URLSearchParams): SearchSource | 'lost' | null {
  const words = search.get('q')?.trim();
  if (words) return { words };
  const name = search.get('image');
  if (name) {
    return findQueryImage(name) ?? 'lost';
  }
  const media = search.get('like');
  if (!media) return null;
  const at = search.get('at');
  const chunk = search.get('chunk');
  return { media, ...(at ? { at: Number(at) } : {}), ...(chunk ? { chunk } : {}) };
}

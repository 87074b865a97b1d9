import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { type AssetStore, rendition } from '../../assets/asset-store.ts';

/** A chunk with what names its thumbnail. */
export type PicturedChunk = {
  id: string;
  workspace_id: string;
  media_id: string;
  renditions_token: number | null;
  thumbnail_file: string;
};

/** Of all that is kept in memory, bytes: some hundreds of sheets. */
const maxBytes = 48 * 1024 ** 2;

/**
 * Sheets of small pictures of chunks, cut one after the other and kept in memory. They come from thumbnails that this service encoded, not from uploads, so the
 * service itself may decode them. The library for it loads with the first one.
 */
export function createClipSheets(assets: AssetStore) {
  const cut = new LRUCache<string, Promise<Buffer>>({ max: 2000, maxSize: maxBytes });
  let last: Promise<unknown> = Promise.resolve();

  const readThumbnail = async ({ workspace_id, media_id: id, renditions_token, thumbnail_file }: PicturedChunk) => {
    const asset = rendition({ workspace_id, id, renditions_token }, thumbnail_file);
    // The square of a picture that is not there stays empty.
    return buffer(assets.read(asset)).catch(() => null);
  };

  async function cutSheet(chunks: (PicturedChunk | undefined)[]): Promise<Buffer> {
    const { composeSheet } = await import('./compose-sheet.ts');
    return composeSheet(chunks.map((chunk) => () => (chunk ? readThumbnail(chunk) : Promise.resolve(null))));
  }

  return {
    /**
     * The pictures of some chunks as one image.
     * @param chunks undefined for one that does not exist, whose square is empty
     */
    async read(chunks: (PicturedChunk | undefined)[]): Promise<Buffer> {
      const key = chunks.map((chunk) => chunk?.id ?? '').join();
      const known = cut.get(key);
      if (known) return known;
      const made = last.then(() => cutSheet(chunks));
      last = made.catch(() => undefined);
      cut.set(key, made, { size: chunks.length * 3000 });
      made.catch(() => cut.delete(key));
      return made;
    },
  };
}

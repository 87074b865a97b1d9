import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import type { Asset, AssetStore } from '../../assets/asset-store.ts';
import { assetPath } from '../../assets/disk-layout.ts';

/** Widths that a card's thumbnail comes in, pixels: for screens with one and with two pixels to each CSS pixel. */
export const cardWidths = [320, 640];

/** Of all that is kept in memory, bytes: some thousands. */
const maxBytes = 32 * 1024 ** 2;
/** Thumbnails that are cut at the same time. Each takes a thread of the four that also read files. */
const maxAtOnce = 2;

/**
 * Thumbnails cut for cards, made when they are first asked for and kept in memory. They come from thumbnails that this service encoded, not
 * from uploads, so the service itself may decode them. The library for it loads with the first one.
 */
export function createCardThumbnails(assets: AssetStore) {
  const cut = new LRUCache<string, Buffer>({ maxSize: maxBytes, sizeCalculation: ({ length }) => Math.max(1, length) });
  const pending = new Map<string, Promise<Buffer>>();
  const slots = Array.from({ length: maxAtOnce }, () => Promise.resolve());
  let next = 0;

  const make = async (asset: Asset, width: number): Promise<Buffer> => {
    const { cropThumbnail } = await import('./crop-thumbnail.ts');
    return cropThumbnail(await buffer(assets.read(asset)), width);
  };

  /** Runs work after what was given to the same slot before. */
  const inTurn = (work: () => Promise<Buffer>): Promise<Buffer> => {
    const slot = next++ % maxAtOnce;
    const result = (slots[slot] as Promise<void>).then(work);
    slots[slot] = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  };

  return {
    /**
     * A thumbnail cut to 16:9, WebP. Throws when the file is not there or no image.
     * @param width one of `cardWidths`
     */
    async read(asset: Asset, width: number): Promise<Buffer> {
      const key = `${assetPath(asset)}/${width}`;
      const known = cut.get(key) ?? pending.get(key);
      if (known) return known;
      const made = inTurn(() => make(asset, width));
      pending.set(key, made);
      try {
        const image = await made;
        cut.set(key, image);
        return image;
      } finally {
        pending.delete(key);
      }
    },
  };
}

import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { type AssetStore, rendition } from '../../assets/asset-store.ts';
import { FairQueue } from '../../platform/fair-queue.ts';

/** A chunk with what names its thumbnail. */
export type PicturedChunk = {
  id: string;
  workspace_id: string;
  media_id: string;
  renditions_token: number | null;
  /** Names of its thumbnail, the smallest first; of an earlier release not all are there. */
  files: string[];
};

/** A sheet as WebP, and whether it never changes: pictures that are not there now may be another time. */
type ClipSheet = { data: Buffer; lasts: boolean };

/** Of all that is kept in memory, bytes: some hundreds of sheets. */
const maxBytes = 48 * 1024 ** 2;

/**
 * Sheets of small pictures of chunks, cut one after the other and kept in memory. They come from thumbnails that this service encoded, not from uploads, so the
 * service itself may decode them. The library for it loads with the first one.
 */
export function createClipSheets(assets: AssetStore) {
  const cut = new LRUCache<string, Promise<ClipSheet>>({ max: 2000, maxSize: maxBytes });
  // Workspaces take turns: one that asks for many holds no other up. How many may wait, the requests of each bound.
  const queue = new FairQueue({ concurrency: 1, bounds: { each: Infinity, all: Infinity } });

  /** The square of a picture that is not there stays empty. */
  const readThumbnail = async ({ workspace_id, media_id: id, renditions_token, files }: PicturedChunk) => {
    for (const file of files) {
      const bytes = await buffer(assets.read(rendition({ workspace_id, id, renditions_token }, file))).catch(
        () => null,
      );
      if (bytes) return bytes;
    }
    return null;
  };

  async function cutSheet(chunks: (PicturedChunk | undefined)[]): Promise<ClipSheet> {
    const { composeSheet } = await import('./compose-sheet.ts');
    let lasts = true;
    const reads = chunks.map((chunk) => async () => {
      const bytes = chunk ? await readThumbnail(chunk) : null;
      lasts &&= bytes !== null;
      return bytes;
    });
    const data = await composeSheet(reads);
    return { data, lasts };
  }

  async function cutInTurn(workspaceId: string, chunks: (PicturedChunk | undefined)[]): Promise<ClipSheet> {
    const endTurn = await queue.waitForTurn({ owner: workspaceId });
    try {
      return await cutSheet(chunks);
    } finally {
      endTurn();
    }
  }

  return {
    /**
     * The pictures of some chunks of a workspace as one image.
     * @param chunks undefined for one that does not exist, whose square is empty
     */
    async read(workspaceId: string, chunks: (PicturedChunk | undefined)[]): Promise<ClipSheet> {
      const key = chunks.map((chunk) => chunk?.id ?? '').join();
      const known = cut.get(key);
      if (known) return known;
      const made = cutInTurn(workspaceId, chunks);
      cut.set(key, made, { size: chunks.length * 3000 });
      const forget = () => void cut.delete(key);
      made.then(({ lasts }) => (lasts ? undefined : forget()), forget);
      return made;
    },
  };
}

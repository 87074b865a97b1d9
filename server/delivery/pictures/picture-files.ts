import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { SizedFile } from '@media-search/media/encode-image';
import {
  cutFrom,
  posterSizes,
  previewFile,
  previewSide,
  previewSize,
  type Size,
} from '@media-search/media/picture-sizes';
import {
  type AssetStore,
  original,
  type OriginalOwner,
  rendition,
  type RenditionOwner,
} from '../../assets/asset-store.ts';
import { assetPath } from '../../assets/disk-layout.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import { ApiError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import { FairQueue } from '../../platform/fair-queue.ts';
import { syncToDisk } from '../../platform/storage/durable-files.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { QueryPool } from '../../search/query-workers/query-pool.ts';

export type PictureFiles = ReturnType<typeof createPictureFiles>;

/** An item of which a picture is made. */
export type PicturedRow = OriginalOwner & RenditionOwner & Pick<MediaRow, 'type' | 'mime_type' | 'poster_file'>;

/** Pictures that are made at the same time. Each takes a thread of the four that also read files. */
const maxAtOnce = 2;
/** A fast scroll through a large library over HTTP/2 has hundreds of requests in flight. */
const bounds = { each: 2000, all: 8000 };

/** A picture that is being made, and how many requests want it. */
type Making = { done: Promise<boolean>; wanted: number; aborting: AbortController };

/**
 * Pictures that are missing because an earlier release indexed their item. One is made when it is first asked for, and stored beside the others. The newest
 * request is served first: those before it are of cards that were scrolled past. What nobody waits for any longer is not made.
 *
 * Thumbnails come from pictures that this service encoded, so it decodes them itself; originals are decoded by another process.
 */
export function createPictureFiles(parts: { assets: AssetStore; scratch: Scratch; queryPool: QueryPool }) {
  const queue = new FairQueue({ concurrency: maxAtOnce, newestFirst: true, bounds });
  const making = new Map<string, Making>();

  function begin(item: PicturedRow, name: string, key: string): Making {
    const aborting = new AbortController();
    const { signal } = aborting;
    const work = async (): Promise<boolean> => {
      const endTurn = await queue.waitForTurn({ owner: item.workspace_id }, signal);
      try {
        return await make(parts, item, name, signal);
      } finally {
        endTurn();
      }
    };
    const made: Making = { done: work(), wanted: 0, aborting };
    making.set(key, made);
    const forget = () => {
      if (making.get(key) === made) making.delete(key);
    };
    made.done.then(forget, forget);
    return made;
  }

  return {
    /** Makes all pictures of a photograph that one of its size has, where an earlier release made fewer. Throws as `make` does. */
    async makeAll(item: PicturedRow, full: Size, signal: AbortSignal): Promise<boolean> {
      const preview = previewSize(full);
      const wanted = [...posterSizes(full), ...(preview ? [{ side: previewSide, file: preview.file }] : [])];
      const endTurn = await queue.waitForTurn({ owner: item.workspace_id }, signal);
      try {
        return await makeFromOriginal(parts, item, wanted, signal);
      } finally {
        endTurn();
      }
    },

    /**
     * Makes a picture and stores it. However many ask at once, it is made once. Throws `unreadable_media`, `BusyError`, and the signal's reason when
     * aborted.
     * @returns whether it can be made
     */
    async make(item: PicturedRow, name: string, signal: AbortSignal): Promise<boolean> {
      signal.throwIfAborted();
      const key = assetPath(rendition(item, name));
      const made = making.get(key) ?? begin(item, name, key);
      made.wanted += 1;
      const onAbort = () => {
        made.wanted -= 1;
        if (made.wanted > 0) return;
        // One that comes later starts over.
        making.delete(key);
        made.aborting.abort(signal.reason);
      };
      signal.addEventListener('abort', onAbort);
      try {
        return await made.done;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

type Parts = Parameters<typeof createPictureFiles>[0];

async function make(parts: Parts, item: PicturedRow, name: string, signal: AbortSignal): Promise<boolean> {
  if (name === previewFile) return makeFromOriginal(parts, item, [{ side: previewSide, file: name }], signal);
  const { assets, scratch } = parts;
  const cut = cutFrom(name, item.poster_file);
  const from = cut && rendition(item, cut.from);
  if (!from || !(await assets.stat(from))) return false;
  // Its library takes a while to load, and items that are indexed today never need it here.
  const { scalePicture } = await import('./scale-picture.ts');
  return scratch.withFolder(async (folder) => {
    const file = path.join(folder, name);
    await scalePicture(await buffer(assets.read(from)), cut.side, file);
    return store(assets, item, file, signal);
  });
}

/** Makes pictures of a photograph from its original, which another process decodes. */
async function makeFromOriginal(
  { assets, scratch, queryPool }: Parts,
  item: PicturedRow,
  wanted: SizedFile[],
  signal: AbortSignal,
): Promise<boolean> {
  return scratch.withFolder(async (folder) => {
    const sizes = wanted.map(({ side, file }) => ({ side, file: path.join(folder, file) }));
    const run = (source: string) =>
      queryPool.run(item.workspace_id, { kind: 'scaled photo', source, mimeType: item.mime_type, sizes }, signal);
    await assets.withLocalCopy(original(item), run, { signal }).catch((error: unknown) => {
      const isUnreadable = error instanceof Error && error.name === 'UnreadableMediaError';
      throw isUnreadable ? new ApiError('unreadable_media', error.message) : error;
    });
    for (const { file } of sizes) if (!(await store(assets, item, file, signal))) return false;
    return true;
  });
}

/** @returns false where the item was deleted or indexed again meanwhile */
async function store(assets: AssetStore, item: PicturedRow, file: string, signal: AbortSignal): Promise<boolean> {
  // What a power cut leaves empty would be served from then on.
  await syncToDisk(file);
  try {
    await assets.putDerived(file, rendition(item, path.basename(file)), { signal });
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

import path from 'node:path';
import {
  type Asset,
  type AssetStore,
  original,
  playback,
  playsRendition,
  rendition,
  shared,
} from '../../assets/asset-store.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { findStoredShare, type ShareRow } from '../../catalog/shares/shares.ts';
import { isSourceOffline } from '../../catalog/sources/sources.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import { hasErrorCode } from '../../errors/system-errors.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { QueryPool } from '../../search/query-workers/query-pool.ts';
import type { ExportPool } from '../export/export-pool.ts';

/**
 * The files that public links give. A moment is cut out, so that its link gives nothing else of the video, and a photograph is encoded again,
 * so that camera and place stay behind. Both are derived: they are made with the link, and again when they are gone.
 */

export type ShareFiles = ReturnType<typeof createShareFiles>;

/** A file to be sent. */
export type SharedFile = { asset: Asset; mimeType: string };

/** Longest side of a photograph under a public link, pixels: sharp on a large screen. */
const maxPhotoSide = 2560;

/** Longest time that making a file may take, seconds. */
const maxSeconds = 300;

const isMoment = ({ start_time, end_time }: ShareRow): boolean => start_time !== null && end_time !== null;

const clipName = ({ id }: Pick<ShareRow, 'id'>): string => `${id}.mp4`;
/** The image of a photograph, or of the first frame of a moment. */
const imageName = ({ id }: Pick<ShareRow, 'id'>): string => `${id}.webp`;
const isStill = (media: MediaRow, name: string): boolean => media.type === 'video' && name.endsWith('.webp');
/** What a shared file is made from. */
const originalOf = async (db: Catalog, media: MediaRow): Promise<Asset> =>
  media.type === 'image' ? original(media) : playback(media, await isSourceOffline(db, media));

async function openWhole(db: Catalog, media: MediaRow): Promise<SharedFile> {
  const isOffline = await isSourceOffline(db, media);
  const made = playsRendition(media, isOffline) ? media.rendition_mime_type : null;
  return { asset: playback(media, isOffline), mimeType: made ?? media.mime_type };
}

type Parts = { db: Catalog; assets: AssetStore; scratch: Scratch; queryPool: QueryPool; exportPool: ExportPool };

export function createShareFiles(parts: Parts) {
  const { db, assets, scratch } = parts;
  /** Files that are being made, by item and name. */
  const making = new Map<string, Promise<void>>();

  /** A derived file, which is made unless it is there. However many ask at once, it is made once. */
  async function ensure(share: ShareRow, media: MediaRow, name: string): Promise<Asset> {
    const asset = shared(media, name);
    if (!(await assets.stat(asset))) {
      const key = `${media.id}/${name}`;
      const made = making.get(key) ?? make(share, media, name).finally(() => making.delete(key));
      making.set(key, made);
      await made;
    }
    return asset;
  }

  async function make(share: ShareRow, media: MediaRow, name: string): Promise<void> {
    // Not the signal of a request: others may wait for the same file.
    const signal = AbortSignal.timeout(maxSeconds * 1000);
    // The first frame of the clip itself: a thumbnail of the video may show what was cut away.
    const source = isStill(media, name) ? await ensure(share, media, clipName(share)) : await originalOf(db, media);
    await scratch.withFolder(async (folder) => {
      const target = path.join(folder, name);
      await produce(parts, { share, media, source, destination: target, signal }).catch((error: unknown) => {
        throw toFailure(error);
      });
      await assets.putDerived(target, shared(media, name)).catch((error: unknown) => {
        // The item was deleted meanwhile.
        throw hasErrorCode(error, 'ENOENT') ? notFoundError('media item') : error;
      });
    });
    // Another process may have revoked the link meanwhile, and not seen this file.
    if (await findStoredShare(db, share.workspace_id, share.id)) return;
    await removeFiles(assets, share, media.id);
    throw notFoundError('shared link');
  }

  return {
    /** The file that a link gives. Throws `unreadable_media`, `not_found`, `unavailable` and `BusyError`. */
    async open(share: ShareRow, media: MediaRow): Promise<SharedFile> {
      if (media.type === 'image') {
        return { asset: await ensure(share, media, imageName(share)), mimeType: 'image/webp' };
      }
      if (isMoment(share)) {
        const mimeType = media.type === 'audio' ? 'audio/mp4' : 'video/mp4';
        return { asset: await ensure(share, media, clipName(share)), mimeType };
      }
      return openWhole(db, media);
    },

    /** A small image of what a link shows; null where there is none. Throws as `open` does. */
    async thumbnail(share: ShareRow, media: MediaRow): Promise<SharedFile | null> {
      // The picture of a recording shows nothing of what was cut away.
      if (isMoment(share) && media.type !== 'audio') {
        return { asset: await ensure(share, media, imageName(share)), mimeType: 'image/webp' };
      }
      const name = media.poster_file;
      return name === null ? null : { asset: rendition(media, name), mimeType: 'image/webp' };
    },

    /**
     * Removes what was made for a link that is gone, and what is still being made for it once that is done.
     * @param mediaIds the items that it led to
     */
    async remove(share: ShareRow, mediaIds: readonly string[]): Promise<void> {
      for (const id of mediaIds) {
        await removeFiles(assets, share, id);
        const made = [clipName(share), imageName(share)].flatMap((name) => making.get(`${id}/${name}`) ?? []);
        if (made.length === 0) continue;
        // What stays goes with its item: nothing leads to it any more.
        void Promise.allSettled(made)
          .then(() => removeFiles(assets, share, id))
          .catch(() => undefined);
      }
    },
  };
}

async function removeFiles(
  assets: AssetStore,
  share: Pick<ShareRow, 'workspace_id' | 'id'>,
  mediaId: string,
): Promise<void> {
  for (const name of [clipName(share), imageName(share)]) {
    await assets.removeDerived(shared({ workspace_id: share.workspace_id, id: mediaId }, name));
  }
}

type SharedFileTask = { share: ShareRow; media: MediaRow; source: Asset; destination: string; signal: AbortSignal };

/** Makes a file of a link. */
async function produce(
  { assets, queryPool, exportPool }: Parts,
  { share, media, source: from, destination, signal }: SharedFileTask,
): Promise<void> {
  const { workspace_id, mime_type: mimeType } = media;
  await assets.withLocalCopy(from, async (source) => {
    if (media.type === 'image') {
      const sizes = [{ side: maxPhotoSide, file: destination }];
      await queryPool.run(workspace_id, { kind: 'scaled photo', source, mimeType, sizes }, signal);
    } else if (isStill(media, destination)) {
      const video = { file: source, type: 'video', mimeType: 'video/mp4' } as const;
      await exportPool.run(workspace_id, { kind: 'still', source: video, at: 0, format: 'webp', destination }, signal);
    } else {
      const span = { start: share.start_time ?? 0, end: share.end_time ?? 0 };
      await exportPool.run(workspace_id, { kind: 'clip', source, span, destination, progressFile: null }, signal);
    }
  });
}

/** Errors of a worker come as plain errors with the name of theirs. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'UnreadableMediaError') return new ApiError('unreadable_media', error.message);
  if (error.name === 'TimeoutError')
    return new ApiError('unavailable', 'Cutting this clip took too long. Try a shorter one.');
  return error;
}

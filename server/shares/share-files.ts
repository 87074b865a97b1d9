import path from 'node:path';
import { ApiError, notFoundError } from '../api-error.ts';
import { type Asset, type AssetStore, original, playback, rendition, shared } from '../assets/asset-store.ts';
import { findThumbnailAt } from '../catalog/chunks.ts';
import type { MediaRow } from '../catalog/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ShareRow } from '../catalog/shares.ts';
import type { ExportPool } from '../export/export-pool.ts';
import type { QueryPool } from '../query-workers/query-pool.ts';
import { hasErrorCode } from '../storage/system-errors.ts';

/**
 * The files that public links give. A moment is cut out, so that its link gives nothing else of the video, and a photograph is made anew,
 * so that camera and place stay behind. Both are derived: they are made with the link, and again when they are gone.
 */

export type ShareFiles = ReturnType<typeof createShareFiles>;

/** A file to be sent. */
export type SharedFile = { asset: Asset; mimeType: string };

/** Longest time that making a file may take, seconds. */
const maxSeconds = 300;

const isMoment = ({ start_time, end_time }: ShareRow): boolean => start_time !== null && end_time !== null;

/** The name of the file that is made for a link; null: the video itself is given. */
function derivedName(share: ShareRow, media: MediaRow): string | null {
  if (media.type === 'image') return `${share.id}.webp`;
  return isMoment(share) ? `${share.id}.mp4` : null;
}

type Parts = { db: Catalog; assets: AssetStore; queryPool: QueryPool; exportPool: ExportPool };

export function createShareFiles(parts: Parts) {
  const { db, assets } = parts;
  /** Files that are being made, by link. */
  const making = new Map<string, Promise<void>>();

  async function make(share: ShareRow, media: MediaRow, name: string): Promise<void> {
    // Not the signal of a request: others may wait for the same file.
    const signal = AbortSignal.timeout(maxSeconds * 1000);
    await assets.withScratchFolder(async (folder) => {
      const target = path.join(folder, name);
      await produce(parts, share, media, target, signal).catch((error: unknown) => {
        throw toFailure(error);
      });
      await assets.putShared(target, media, name).catch((error: unknown) => {
        // The item was deleted meanwhile.
        throw hasErrorCode(error, 'ENOENT') ? notFoundError('media item') : error;
      });
    });
  }

  return {
    /**
     * The file that a link gives, which is made unless it is there. However many ask at once, it is made once.
     * Throws `unreadable_media`, `not_found`, `unavailable` and `BusyError`.
     */
    async open(share: ShareRow, media: MediaRow): Promise<SharedFile> {
      const name = derivedName(share, media);
      if (name === null) {
        return { asset: playback(media), mimeType: media.rendition_mime_type ?? media.mime_type };
      }
      const asset = shared(media, name);
      if (!(await assets.stat(asset))) {
        const made = making.get(share.id) ?? make(share, media, name).finally(() => making.delete(share.id));
        making.set(share.id, made);
        await made;
      }
      return { asset, mimeType: media.type === 'image' ? 'image/webp' : 'video/mp4' };
    },

    /** A small image of what a link shows; null where there is none. */
    async thumbnail(share: ShareRow, media: MediaRow): Promise<SharedFile | null> {
      const name = share.start_time === null ? media.poster_file : await findThumbnailAt(db, media, share.start_time);
      return name === null ? null : { asset: rendition(media, name), mimeType: 'image/webp' };
    },

    /** Removes what was made for a link that is gone, and what is still being made for it once that is done. */
    async remove(share: ShareRow): Promise<void> {
      await removeFiles(assets, share);
      const made = making.get(share.id);
      // What stays goes with its item: nothing leads to it any more.
      void made?.then(() => removeFiles(assets, share)).catch(() => undefined);
    },
  };
}

async function removeFiles(assets: AssetStore, { workspace_id, media_id, id }: ShareRow): Promise<void> {
  for (const extension of ['mp4', 'webp']) {
    await assets.removeShared({ workspace_id, id: media_id }, `${id}.${extension}`);
  }
}

/** Makes what a link gives. */
async function produce(
  { assets, queryPool, exportPool }: Parts,
  share: ShareRow,
  media: MediaRow,
  destination: string,
  signal: AbortSignal,
): Promise<void> {
  const { workspace_id, mime_type: mimeType } = media;
  if (media.type === 'image') {
    await assets.withLocalCopy(original(media), (source) =>
      queryPool.run(workspace_id, { kind: 'shared photo', source, mimeType, destination }, signal),
    );
  } else {
    const span = { start: share.start_time ?? 0, end: share.end_time ?? 0 };
    await assets.withLocalCopy(playback(media), (source) =>
      exportPool.run(workspace_id, { kind: 'clip', source, span, destination, progressFile: null }, signal),
    );
  }
}

/** Errors of a worker come as plain errors with the name of theirs. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'UnreadableMediaError') return new ApiError('unreadable_media', error.message);
  if (error.name === 'TimeoutError')
    return new ApiError('unavailable', 'Cutting this clip took too long. Try a shorter one.');
  return error;
}

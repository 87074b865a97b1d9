import path from 'node:path';
import { type Asset, type AssetStore, original } from '../../assets/asset-store.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { findSharedItem } from '../../catalog/shares/shared-items.ts';
import type { ShareRow } from '../../catalog/shares/shares.ts';
import { ApiError } from '../../errors/api-error.ts';
import { createUniqueNames, toSafeName } from '../export/file-names.ts';
import type { ZipEntry } from '../export/write-zip.ts';
import type { ShareFiles } from './share-files.ts';

type Parts = { db: Catalog; assets: AssetStore; shareFiles: ShareFiles };

/** The file that a link lets visitors store of an item, and its name: that of the original with the original, and nothing of it otherwise. */
export async function openDownload(
  { shareFiles }: Pick<Parts, 'shareFiles'>,
  share: ShareRow,
  media: MediaRow,
  otherwise: string,
): Promise<{ asset: Asset; mimeType: string; name: string }> {
  if (share.download === 'original') {
    return { asset: original(media), mimeType: media.mime_type, name: toSafeName(media.filename) };
  }
  const { asset, mimeType } = await shareFiles.open(share, media);
  return { asset, mimeType, name: `${toSafeName(otherwise)}${endings[mimeType] ?? path.extname(media.filename)}` };
}

const endings: Record<string, string> = {
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
  'audio/mp4': '.m4a',
};

/** The files of a link to many items as entries of an archive. Each is looked for when it is its turn; those that are gone by then, or unreadable, are left out. */
export async function* listEntries(
  parts: Parts,
  share: ShareRow,
  mediaIds: readonly string[],
): AsyncGenerator<ZipEntry> {
  const toName = createUniqueNames();
  const digits = String(mediaIds.length).length;
  for (const [place, id] of mediaIds.entries()) {
    const media = await findSharedItem(parts.db, share, id);
    if (!media) continue;
    const number = String(place + 1).padStart(digits, '0');
    const file = await openDownload(parts, share, media, number).catch(ignoreUnreadable);
    const status = file && (await parts.assets.stat(file.asset));
    if (!file || !status) continue;
    yield { name: toName(file.name), input: parts.assets.read(file.asset), lastModified: status.modifiedAt };
  }
}

function ignoreUnreadable(error: unknown): null {
  if (error instanceof ApiError && ['unreadable_media', 'not_found'].includes(error.code)) return null;
  throw error;
}

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { detectMediaType } from '@media-search/media/detect-media-type';
import { type AssetOwner, type AssetStore, original } from '../../assets/asset-store.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';

/** By so much the type of a file can be told, bytes; whether an image has several frames may be said later. */
const headBytes = 64 * 1024;

/**
 * Detects what a stored original is by its content. Of a video in a bucket its beginning is read, of an image all of it.
 * @param size bytes of the original
 */
export async function detectStoredType(
  { assets, scratch }: { assets: AssetStore; scratch: Scratch },
  owner: AssetOwner,
  size: number,
): ReturnType<typeof detectMediaType> {
  if (!assets.isLocal && size > headBytes) {
    const ofHead = await scratch.withFolder(async (folder) => {
      const file = path.join(folder, 'head');
      await writeFile(file, await buffer(assets.read(original(owner), { start: 0, end: headBytes - 1 })));
      return detectMediaType(file);
    });
    if (ofHead?.type !== 'image') return ofHead;
  }
  return assets.withLocalCopy(original(owner), detectMediaType);
}

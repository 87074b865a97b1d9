import { type Picture as StoredPicture, thumbnailSizes } from '@media-search/media/picture-sizes';
import type { MediaType, Picture } from '../../../contract/media.ts';
import type { RenditionOwner } from '../../assets/asset-store.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';

/** An item of which pictures are shown. */
type PicturedItem = RenditionOwner & { type: MediaType; width: number | null; height: number | null };

/** The pictures of one client's items, with URLs as it reaches the service. */
export function createPictures(secrets: Secrets, baseUrl: string) {
  /** The attempt that made a picture is part of its URL, so that browsers may keep it: another attempt gives another URL. */
  const urlOf = (item: RenditionOwner, file: string): string =>
    `${signAssetUrl(secrets, baseUrl, item, file)}&v=${item.renditions_token ?? 0}`;

  const show = (item: RenditionOwner, { file, width, height }: StoredPicture): Picture => ({
    width,
    height,
    url: urlOf(item, file),
  });

  return {
    urlOf,
    show,

    /** A thumbnail of an item in the sizes that it comes in. */
    sizesOf(item: PicturedItem, file: string): Picture[] {
      return thumbnailSizes(file, item.type, sizeOf(item)).map((size) => show(item, size));
    },
  };
}

/** The size of an item; null where it is not known. */
export const sizeOf = ({ width, height }: Pick<PicturedItem, 'width' | 'height'>) =>
  width !== null && height !== null ? { width, height } : null;

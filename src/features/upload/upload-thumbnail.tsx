import { useQuery } from '@tanstack/react-query';
import { AudioLines, Film, Image } from 'lucide-react';
import { useEffect, useState } from 'react';
import { mediaItemOptions } from '../../api/queries.ts';
import type { Upload } from './upload.ts';

/** Pixels of a thumbnail for screens with two to each CSS pixel. */
const side = 96;

/** The picture of a file: of an image from the file itself, of a video once the service has cut one. */
export function UploadThumbnail({ upload: { file, state, mediaId } }: { upload: Upload }) {
  const own = useOwnPicture(file);
  const isReady = state === 'ready' && mediaId !== null;
  const item = useQuery({ ...mediaItemOptions(mediaId ?? ''), enabled: isReady && own === null, staleTime: Infinity });
  const picture = own ?? item.data?.thumbnail;
  const Icon = file.type.startsWith('image/') ? Image : file.type.startsWith('audio/') ? AudioLines : Film;
  return (
    <span className="grid size-12 shrink-0 place-items-center overflow-hidden rounded-md bg-raised text-quiet">
      {picture ? (
        <img src={picture} alt="" className="size-full object-cover" />
      ) : (
        <Icon className="size-5" aria-hidden />
      )}
    </span>
  );
}

/** One after the other: photographs of a camera take a tenth of a second each to decode. */
let work: Promise<unknown> = Promise.resolve();

/** The address of a small picture of an image, made by the browser; null until it is there, and where the browser cannot read it. */
function useOwnPicture(file: File): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!file.type.startsWith('image/')) return undefined;
    let made: string | null = null;
    let isGone = false;
    const show = async () => {
      if (isGone) return;
      made = await shrink(file);
      if (isGone) URL.revokeObjectURL(made);
      else setUrl(made);
    };
    work = work.then(show).catch(() => undefined);
    return () => {
      isGone = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [file]);
  return url;
}

async function shrink(file: File): Promise<string> {
  const image = await createImageBitmap(file, { resizeWidth: side, resizeQuality: 'medium' });
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
  return URL.createObjectURL(await canvas.convertToBlob({ type: 'image/webp' }));
}

import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import type { MediaType } from '../../contract/media.ts';

/** What an upload may be, for people. */
export const acceptedMedia =
  'MP4, MOV, MKV, WebM, AVI, MPEG, TS and other video; JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, BMP and JPEG 2000 images';

const headBytes = 64 * 1024;

const imageTypes = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/heic-sequence',
  'image/heif-sequence',
  'image/tiff',
  'image/bmp',
  'image/jp2',
  'image/jpx',
]);
/** Containers of video that do not say so in their type. */
const videoTypes = new Set(['application/mxf', 'application/vnd.rn-realmedia', 'application/vnd.ms-asf']);

/**
 * Tells what a file is from its content; its name plays no part.
 * SVG is refused, because it is a document that can carry script.
 * @returns null when it is neither video nor image as far as its first bytes tell. Whether it can be decoded is seen later.
 */
export async function detectMediaType(file: string): Promise<{ type: MediaType; mimeType: string } | null> {
  const head = await readHead(file);
  const mimeType = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime ?? mimeTypeOf(head);
  if (!mimeType) return null;
  if (mimeType.startsWith('video/') || videoTypes.has(mimeType)) return { type: 'video', mimeType };
  if (!imageTypes.has(mimeType)) return null;
  return { type: (await isAnimated(file, mimeType)) ? 'video' : 'image', mimeType };
}

/** What the library passes over: MPEG program streams by their pack header, JPEG 2000 code streams by their marker. */
function mimeTypeOf(head: Buffer): string | undefined {
  const start = head.subarray(0, 4).toString('hex');
  if (start === '000001ba') return 'video/mpeg';
  if (start === 'ff4fff51') return 'image/jp2';
  return undefined;
}

async function isAnimated(file: string, mimeType: string): Promise<boolean> {
  if (mimeType === 'image/apng') return true;
  if (mimeType !== 'image/gif' && mimeType !== 'image/webp') return false;
  // Reads headers only, so a picture that claims to be huge costs nothing here.
  const metadata = await sharp(file, { animated: true, limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  return (metadata?.pages ?? 1) > 1;
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await handle.read(head, 0, headBytes, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

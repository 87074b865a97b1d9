import path from 'node:path';
import type { MediaType } from '../../contract/media.ts';

/**
 * What a file of a source is by its name, before it is read: a scan of a large folder opens nothing. What it really is decides its content, when it
 * is indexed.
 */
const mimeTypes: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
  heic: 'image/heic',
  heif: 'image/heif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  jp2: 'image/jp2',
  mp4: 'video/mp4',
  m4v: 'video/x-m4v',
  mov: 'video/quicktime',
  qt: 'video/quicktime',
  '3gp': 'video/3gpp',
  '3g2': 'video/3gpp2',
  mkv: 'video/matroska',
  webm: 'video/webm',
  avi: 'video/vnd.avi',
  mpg: 'video/mpeg',
  mpeg: 'video/mpeg',
  vob: 'video/mpeg',
  mts: 'video/mp2t',
  m2ts: 'video/mp2t',
  ts: 'video/mp2t',
  flv: 'video/x-flv',
  wmv: 'video/x-ms-asf',
  ogv: 'video/ogg',
  dv: 'video/x-dv',
  mxf: 'application/mxf',
  cr2: 'image/x-canon-cr2',
  cr3: 'image/x-canon-cr3',
  nef: 'image/x-nikon-nef',
  arw: 'image/x-sony-arw',
  dng: 'image/x-adobe-dng',
  raf: 'image/x-fujifilm-raf',
  orf: 'image/x-olympus-orf',
  rw2: 'image/x-panasonic-rw2',
  mp3: 'audio/mpeg',
  m4a: 'audio/x-m4a',
  aac: 'audio/aac',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  caf: 'audio/x-caf',
  amr: 'audio/amr',
  wma: 'audio/x-ms-asf',
};

const extensionOf = (name: string): string => path.posix.extname(name).slice(1).toLowerCase();

/** @returns null for a file that is no video, image or sound by its name */
export function mediaTypeOfName(name: string): { type: MediaType; mimeType: string } | null {
  const mimeType = mimeTypes[extensionOf(name)];
  if (mimeType === undefined) return null;
  const [kind] = mimeType.split('/');
  return { type: kind === 'image' || kind === 'audio' ? kind : 'video', mimeType };
}

const sidecarExtensions = new Set(['srt', 'vtt', 'xmp']);

/** The names of media that a sidecar may belong to, without their extensions: of `a.en.srt` `a.en` and `a`. Empty: it is no sidecar. */
export function sidecarStems(name: string): string[] {
  if (!sidecarExtensions.has(extensionOf(name))) return [];
  const stem = name.slice(0, name.lastIndexOf('.'));
  const parts = stem.split('.');
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('.'));
}

/** The picture of a folder of films, which players show for it. It is none of its own. */
export const isFolderCover = (name: string): boolean =>
  /^(?:folder|cover|poster|albumart.*)\.(?:jpe?g|png)$/i.test(name);

/** Names of videos, photographs and recordings whose type browsers do not know, or take for something else. */
const mediaNames =
  /\.(mts|m2ts|ts|mkv|mxf|avi|wmv|flv|vob|3gp|mov|mp4|m4v|webm|ogv|ogg|mpe?g|hei[cf]|avif|jxl|tiff?|gif|webp|dng|cr[23]|nef|arw|raf|orf|rw2|mp3|m4[ab]|aac|wav|flac|oga|opus|aiff?|caf|amr|wma)$/i;

/** Whether a file may be a video, a photograph or a recording, as far as a browser can tell. What it really is, the service finds out. */
export const mayBeMedia = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  type === '' ||
  type === 'application/octet-stream' ||
  type.startsWith('image/') ||
  type.startsWith('video/') ||
  type.startsWith('audio/') ||
  mediaNames.test(name);

/**
 * What is sent of files, and what the plan has no room for, as it is before they are sent.
 * @param left items that the plan has room for; null: any number
 */
export function fitPlan(
  files: readonly File[],
  left: number | null,
): { fitting: readonly File[]; beyond: readonly File[] } {
  const room = left ?? files.length;
  return { fitting: files.slice(0, room), beyond: files.slice(room) };
}

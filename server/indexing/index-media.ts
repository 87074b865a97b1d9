import { detectMediaType } from '../assets/detect-media-type.ts';
import { indexPhoto } from './index-photo.ts';
import { indexVideo } from './index-video.ts';
import { type IndexedMedia, type IndexingTask, UnreadableMediaError } from './indexed-media.ts';

/**
 * Reads one media file into chunks with vectors, texts, thumbnails and, where a browser needs it, a rendition.
 * Throws `UnreadableMediaError` for what cannot be read, and the signal's reason when aborted.
 */
export async function indexMedia(task: IndexingTask): Promise<IndexedMedia> {
  const detected = await detectMediaType(task.path);
  if (!detected) {
    throw new UnreadableMediaError('unreadable_media', 'This file is no video or image as far as its content tells.');
  }
  return detected.type === 'video' ? indexVideo(task, detected.mimeType) : indexPhoto(task, detected.mimeType);
}

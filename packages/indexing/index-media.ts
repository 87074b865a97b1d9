import { detectMediaType } from '@media-search/media/detect-media-type';
import { isInvalidDataError } from '@media-search/media/invalid-data-error';
import { isMachineError } from '@media-search/media/machine-error';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import { indexImage } from './index-image.ts';
import { indexVideo } from './index-video.ts';
import type { IndexedMedia, IndexingTask } from './indexed-media.ts';

/**
 * Reads one media file into chunks with vectors, texts, thumbnails and, where a browser needs it, a rendition.
 * Throws `UnreadableMediaError` for what cannot be read, and the signal's reason when aborted.
 */
export async function indexMedia(task: IndexingTask): Promise<IndexedMedia> {
  const detected = await detectMediaType(task.path);
  if (!detected) {
    throw new UnreadableMediaError('unreadable_media', 'The content of this file is neither a video nor an image.');
  }
  try {
    return await (detected.type === 'video' ? indexVideo : indexImage)(task, detected.mimeType);
  } catch (error) {
    task.signal.throwIfAborted();
    if (!isInvalidDataError(error) || isMachineError(error)) throw error;
    throw new UnreadableMediaError(
      'unreadable_media',
      'This file cannot be read: its data is invalid. Play it on your computer and export it again.',
      { cause: error },
    );
  }
}

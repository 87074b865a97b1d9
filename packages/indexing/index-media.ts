import { encryptedMediaError, isEncrypted } from '@media-search/media/detect-encryption';
import { detectMediaType } from '@media-search/media/detect-media-type';
import { isInvalidDataError } from '@media-search/media/invalid-data-error';
import { isMachineError } from '@media-search/media/machine-error';
import { describeVideo, probeMedia } from '@media-search/media/probe-video';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import { withDroneLog } from './drone-log.ts';
import { indexAudio } from './index-audio.ts';
import { indexImage } from './index-image.ts';
import { indexVideo } from './index-video.ts';
import type { IndexedMedia, IndexingTask } from './indexed-media.ts';
import { namePlace } from './name-place.ts';

/**
 * Reads one media file into chunks with vectors, texts, thumbnails and, where a browser needs it, a rendition.
 * Throws `UnreadableMediaError` for what cannot be read, and the signal's reason when aborted.
 */
export async function indexMedia(task: IndexingTask): Promise<IndexedMedia> {
  const detected = await detectMediaType(task.path);
  if (!detected) {
    throw new UnreadableMediaError('unreadable_media', 'The content of this file is no video, image or sound.');
  }
  try {
    const indexed = await (detected.type === 'image' ? indexImage : indexTracks)(task, detected.mimeType);
    return withDroneLog({ ...indexed, recording: namePlace(indexed.recording) });
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

/** Indexes a file by its tracks: many containers hold both recordings and videos, and their names do not tell. */
async function indexTracks(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  task.onProgress('reading', 0);
  if (await isEncrypted(task.path, mimeType)) throw encryptedMediaError();
  await using probed = await probeMedia(task.path, task.signal);
  if (probed.video) return await indexVideo(task, describeVideo(probed), mimeType.replace(/^audio\//, 'video/'));
  if (probed.audio) return await indexAudio(task, probed, mimeType.replace(/^video\//, 'audio/'));
  throw new UnreadableMediaError(
    'no_picture',
    'This file has neither pictures nor sound. Upload a video, a photo or a recording.',
  );
}

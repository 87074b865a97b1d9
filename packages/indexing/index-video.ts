import path from 'node:path';
import { encryptedMediaError, isEncrypted } from '@media-search/media/detect-encryption';
import { describeTruncation, isTruncated } from '@media-search/media/detect-truncation';
import { writeThumbnail } from '@media-search/media/encode-image';
import { probeVideo } from '@media-search/media/probe-video';
import { readVideoTags } from '@media-search/media/read-video-tags';
import { needsRendition, renderVideo } from '@media-search/media/render-video';
import { readPlaceholder } from '@media-search/media/thumbnails';
import { analyseVideo } from './analyse-video.ts';
import type { IndexedMedia, IndexingTask } from './indexed-media.ts';

/** Share of the progress that reading and analysing take when a rendition has to be made as well, and when not. */
const analysisShareWithRendition = 0.4;
const analysisShareAlone = 0.98;

const posterFile = 'poster.webp';

/** Indexes a video: probe, sample, split, embed, read text, render. Throws `UnreadableMediaError`. */
export async function indexVideo(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, signal, onProgress } = task;
  onProgress('reading', 0);
  if (await isEncrypted(task.path, mimeType)) throw encryptedMediaError();
  await using probed = await probeVideo(task.path, signal);
  await task.checkDuration(probed.duration);
  // Only reading to the end shows whether it needs a rendition; if so, progress stands still while that is written.
  const share = needsRendition(probed, mimeType) ? analysisShareWithRendition : analysisShareAlone;
  const { chunks, texts, poster, observed } = await analyseVideo(task, probed, mimeType, (fraction) =>
    onProgress('analysing', share * fraction),
  );
  await writeThumbnail(path.join(outputDirectory, posterFile), poster);
  onProgress('rendering', share);
  const truncated = await isTruncated(task.path, mimeType);
  const rendition = await renderVideo({
    source: task.path,
    probed,
    observed,
    truncated,
    mimeType,
    outputDirectory,
    reading: task,
    onProgress: (fraction) => onProgress('rendering', share + (analysisShareAlone - share) * fraction),
  });
  onProgress('storing', 0.99);
  const { duration } = observed;
  return {
    type: 'video',
    mimeType,
    duration,
    width: probed.width,
    height: probed.height,
    poster: posterFile,
    placeholder: await readPlaceholder(path.join(outputDirectory, posterFile)),
    rendition,
    tags: probed.tags,
    ...readVideoTags(probed, mimeType),
    warning: truncated ? describeTruncation({ duration, stated: probed.duration }) : null,
    chunks,
    texts,
  };
}

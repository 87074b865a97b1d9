import path from 'node:path';
import { describeTruncation, isTruncated } from '@media-search/media/detect-truncation';
import { writeSizes } from '@media-search/media/encode-image';
import type { Recording } from '@media-search/media/file-tags';
import type { Telemetry } from '@media-search/media/gopro-telemetry';
import { posterSizes, sampleSide } from '@media-search/media/picture-sizes';
import type { ProbedVideo } from '@media-search/media/probe-video';
import type { ObservedVideo } from '@media-search/media/read-video';
import { readVideoTags } from '@media-search/media/read-video-tags';
import { needsRendition, renderVideo } from '@media-search/media/render-video';
import { readPlaceholder } from '@media-search/media/thumbnails';
import { readPosterFrame } from '@media-search/media/write-still';
import { analyseVideo } from './analyse-video.ts';
import type { IndexedMedia, IndexingTask } from './indexed-media.ts';
import type { Sample } from './sample-video.ts';

/** Share of the progress that reading and analysing take when a rendition has to be made as well, and when not. */
const analysisShareWithRendition = 0.4;
const analysisShareAlone = 0.98;

/**
 * Indexes a video: sample, split, embed, read text, render. Throws `UnreadableMediaError`.
 * @param probed its headers; the caller closes it
 */
export async function indexVideo(task: IndexingTask, probed: ProbedVideo, mimeType: string): Promise<IndexedMedia> {
  const { outputDirectory, onProgress } = task;
  await task.checkDuration(probed.duration);
  // Only reading to the end shows whether it needs a rendition; if so, progress stands still while that is written.
  const share = task.wantsPreview || needsRendition(probed, mimeType) ? analysisShareWithRendition : analysisShareAlone;
  const { chunks, texts, fingerprint, poster, observed } = await analyseVideo(task, probed, mimeType, (fraction) =>
    onProgress('analysing', share * fraction),
  );
  const posterFile = await writePosters(task, probed, poster, observed);
  onProgress('rendering', share);
  const truncated = await isTruncated(task.path, mimeType);
  const rendition = await renderVideo({
    source: task.path,
    probed,
    observed,
    truncated,
    mimeType,
    wantsPreview: task.wantsPreview ?? false,
    outputDirectory,
    reading: task,
    onProgress: (fraction) => onProgress('rendering', share + (analysisShareAlone - share) * fraction),
  });
  onProgress('storing', 0.99);
  const { duration, telemetry } = observed;
  const { recording, ...tags } = readVideoTags(probed, mimeType);
  return {
    type: 'video',
    mimeType,
    duration,
    width: probed.width,
    height: probed.height,
    poster: posterFile,
    placeholder: await readPlaceholder(path.join(outputDirectory, posterFile)),
    rendition,
    ...tags,
    recording: withTelemetry(recording, telemetry),
    warning: truncated ? describeTruncation({ duration, stated: probed.duration }) : null,
    chunks,
    texts,
    fingerprint,
  };
}

/** The recording as the file describes it; what is missing comes from the telemetry. */
const withTelemetry = (recording: Recording, { camera, latitude, longitude }: Telemetry): Recording => ({
  ...recording,
  camera: recording.camera ?? camera,
  ...(recording.latitude === null ? { latitude, longitude } : {}),
});

/** Writes the poster in its sizes. The sample that it was chosen by is smaller than the largest of them. @returns the name of the largest */
async function writePosters(
  { path: file, outputDirectory, signal }: IndexingTask,
  probed: ProbedVideo,
  { image: sample, time }: Sample,
  { origin }: ObservedVideo,
): Promise<string> {
  const wanted = posterSizes(probed);
  const largest = wanted.at(-1) as (typeof wanted)[number];
  const isLarge = Math.max(probed.width, probed.height) > sampleSide;
  const frame = isLarge ? await readPosterFrame(file, { origin, at: time }, largest.side, signal) : null;
  const image = frame ?? sample;
  const sizes = posterSizes(image);
  await writeSizes(
    { ...image, channels: 3 },
    sizes.map(({ side, file: name }) => ({ side, file: path.join(outputDirectory, name) })),
  );
  return (sizes.at(-1) as (typeof sizes)[number]).file;
}

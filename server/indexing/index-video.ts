import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readChapters } from '../media/chapters.ts';
import { encryptedMediaError, isEncrypted } from '../media/detect-encryption.ts';
import { describeTruncation, isTruncated } from '../media/detect-truncation.ts';
import { checkDuration, limitsFor } from '../media/media-limits.ts';
import { probeVideo } from '../media/probe-video.ts';
import { needsRendition, renderVideo } from '../media/render-video.ts';
import type { SubtitleLine } from '../media/subtitles.ts';
import { isBlank, readPlaceholder, thumbnailQuality, writeThumbnail } from '../media/thumbnails.ts';
import { assignTexts } from './assign-texts.ts';
import { chooseMoments } from './choose-moments.ts';
import { createChunker, type SampledSpan } from './chunker.ts';
import { isFrozen } from './detect-freeze.ts';
import { embedSpansWithAll } from './embed-chunks.ts';
import { type IndexedChunk, type IndexedMedia, type IndexingTask, UnreadableMediaError } from './indexed-media.ts';
import { type Sample, sampleVideo } from './sample-video.ts';

/** What share of the work reading and analysing is when a rendition has to be made as well. */
const analysisShare = 0.4;

const posterFile = 'poster.webp';

/** Indexes a video: probe, sample, split, embed, read text, render. Throws `UnreadableMediaError`. */
export async function indexVideo(task: IndexingTask, mimeType: string): Promise<IndexedMedia> {
  const { embedders, outputDirectory, signal, onProgress } = task;
  onProgress('reading', 0);
  if (await isEncrypted(task.path, mimeType)) throw encryptedMediaError();
  await using probed = await probeVideo(task.path, signal);
  await task.checkDuration(probed.duration);
  // What reading it shows may call for a rendition all the same; then progress rests while that is made.
  const share = needsRendition(probed, mimeType) ? analysisShare : 0.98;

  const chunks: (IndexedChunk & { frozen: boolean })[] = [];
  const lines: SubtitleLine[] = [];
  let bestSample: { sample: Sample; quality: number } | undefined;

  async function completeSpans(spans: SampledSpan[]): Promise<void> {
    if (spans.length === 0) return;
    const embeddings = await embedSpansWithAll(
      embedders,
      spans.map(({ samples }) => chooseMoments(samples)),
    );
    for (const [i, { start, end, samples }] of spans.entries()) {
      const chosen = samples
        .map((sample) => ({ sample, quality: thumbnailQuality(sample.image) }))
        .reduce((a, b) => (b.quality > a.quality ? b : a));
      if (!bestSample || chosen.quality > bestSample.quality) bestSample = chosen;
      const thumbnail = `chunk-${String(chunks.length).padStart(5, '0')}.webp`;
      await writeThumbnail(path.join(outputDirectory, thumbnail), chosen.sample.image);
      chunks.push({
        start,
        end,
        thumbnail,
        text: null,
        blank: samples.every(({ image: picture }) => isBlank(picture)),
        frozen: isFrozen(samples),
        embeddings: embeddings[i] ?? [],
      });
    }
  }

  const chunker = createChunker();
  const file = { framePixels: probed.width * probed.height, bytes: (await stat(task.path)).size };
  const limits = task.limits && limitsFor(mimeType, file, task.limits);
  const events = sampleVideo(probed, signal, limits);
  let next = await events.next();
  for (; !next.done; next = await events.next()) {
    const event = next.value;
    if (event.kind === 'subtitle') {
      lines.push(event.line);
    } else if (event.kind === 'shot-change') {
      await completeSpans(chunker.addShotChange(event.change));
    } else {
      await completeSpans(chunker.addSample(event.sample));
      // Without a stated duration nobody knows how far it is, but that it goes on.
      const fraction = probed.duration > 0 ? Math.min(1, event.sample.time / probed.duration) : 0;
      onProgress('analysing', share * fraction);
    }
  }
  const observed = next.value;
  const { duration, origin } = observed;
  if (limits) checkDuration(duration, limits);
  for (const { start, end, text } of await readChapters(task.path, probed.container)) {
    if (end > origin) lines.push({ start: Math.max(0, start - origin), end: end - origin, text });
  }
  if (duration > 0) await completeSpans(chunker.finish(duration));
  if (!bestSample) {
    throw new UnreadableMediaError(
      'unreadable_media',
      'No picture of this video could be decoded. It may be damaged or cut off; play it on your computer and export it anew.',
    );
  }
  await writeThumbnail(path.join(outputDirectory, posterFile), bestSample.sample.image);
  onProgress('rendering', share);
  const truncated = await isTruncated(task.path, mimeType);
  const rendition = await renderVideo({
    source: task.path,
    probed,
    observed,
    truncated,
    mimeType,
    outputDirectory,
    signal,
    onProgress: (done) => onProgress('rendering', share + (0.98 - share) * done),
  });
  onProgress('storing', 0.99);
  // A film of stills is no film that froze.
  const moving = chunks.some(({ frozen }) => !frozen);
  const texts = assignTexts(lines, chunks);
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
    warning: truncated ? describeTruncation({ duration, stated: probed.duration }) : null,
    chunks: chunks.map(({ frozen, ...chunk }, i) => ({
      ...chunk,
      text: texts[i] ?? null,
      blank: chunk.blank || (frozen && moving),
    })),
  };
}

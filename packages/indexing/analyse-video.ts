import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readChapters } from '@media-search/media/chapters';
import { writeSizes, writeThumbnail } from '@media-search/media/encode-image';
import { checkDuration, limitsFor } from '@media-search/media/media-limits';
import { thumbnailSizes } from '@media-search/media/picture-sizes';
import type { ProbedVideo } from '@media-search/media/probe-video';
import type { ObservedVideo } from '@media-search/media/read-video';
import type { RgbImage } from '@media-search/media/rgb-image';
import { type SubtitleLine, toItemClock } from '@media-search/media/subtitles';
import { isBlank, thumbnailQuality } from '@media-search/media/thumbnails';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import type { ChunkSound } from '@media-search/models/embedder';
import { chooseMoments } from './choose-moments.ts';
import { createChunker, type SampledSpan } from './chunker.ts';
import { isFrozen } from './detect-freeze.ts';
import { embedSpansWithAll } from './embed-chunks.ts';
import type { IndexedChunk, IndexingTask, TextLine } from './indexed-media.ts';
import type { Fingerprint } from './reuse/fingerprint.ts';
import { createFingerprinter } from './reuse/make-fingerprint.ts';
import { type Sample, type SamplingEvent, sampleVideo } from './sample-video.ts';
import { openSpanSound, type SpanSound } from './span-sound.ts';
import { toTextLines } from './text-lines.ts';

export type AnalysedVideo = {
  chunks: IndexedChunk[];
  /** Subtitles and chapter titles. */
  texts: TextLine[];
  fingerprint: Fingerprint;
  /** The sharpest image of all. */
  poster: Sample;
  observed: ObservedVideo;
};

/**
 * Reads a video to its end and cuts it into chunks, with embeddings, texts and thumbnails. Throws `UnreadableMediaError`.
 * @param onProgress is given the share that is done, 0..1; always 0 where the container states no duration
 */
export async function analyseVideo(
  task: IndexingTask,
  probed: ProbedVideo,
  mimeType: string,
  onProgress: (fraction: number) => void,
): Promise<AnalysedVideo> {
  const chunker = createChunker();
  await using sound = openSpanSound(task.path, {
    ...task,
    duration: probed.duration,
    isWanted: task.embedders.some(({ hears }) => hears),
  });
  const builder = createChunkBuilder(task, sound);
  const fingerprinter = createFingerprinter();
  const subtitles: SubtitleLine[] = [];
  const file = { framePixels: probed.width * probed.height, bytes: (await stat(task.path)).size };
  const limits = task.limits && limitsFor(mimeType, file, task.limits);
  let observed: ObservedVideo | undefined;
  for await (const event of sampleVideo(probed, task, limits)) {
    if (event.kind === 'subtitle') subtitles.push(event.line);
    else if (event.kind === 'end') observed = event.observed;
    else await builder.add(closedSpans(chunker, event));
    if (event.kind !== 'sample') continue;
    fingerprinter.add(event.sample);
    onProgress(probed.duration > 0 ? Math.min(1, event.sample.time / probed.duration) : 0);
  }
  if (!observed) throw new Error('The video was not read to its end.');
  const { duration, origin } = observed;
  if (limits) checkDuration(duration, limits);
  const chapters = toItemClock(await readChapters(task.path, probed.container), origin);
  if (duration > 0) await builder.add(chunker.finish(duration));
  const texts = toTextLines(subtitles, chapters, duration);
  return { ...builder.finish(), texts, fingerprint: fingerprinter.finish(), observed };
}

/** The spans that a sample or a shot change closes. */
const closedSpans = (
  chunker: ReturnType<typeof createChunker>,
  event: Extract<SamplingEvent, { kind: 'sample' | 'shot-change' }>,
): SampledSpan[] => (event.kind === 'sample' ? chunker.addSample(event.sample) : chunker.addShotChange(event.change));

/** Writes a thumbnail in the sizes that are smaller than itself. */
async function writeSmaller(folder: string, thumbnail: string, image: RgbImage): Promise<void> {
  const smaller = thumbnailSizes(thumbnail, 'video', image).slice(0, -1);
  const sizes = smaller.map(({ file, width, height }) => ({
    side: Math.max(width, height),
    file: path.join(folder, file),
  }));
  await writeSizes({ ...image, channels: 3 }, sizes);
}

/** Makes chunks of spans as they are closed, so that memory does not grow with the length of the video. */
function createChunkBuilder({ embedders, outputDirectory }: IndexingTask, sound: SpanSound) {
  const chunks: (IndexedChunk & { frozen: boolean })[] = [];
  let poster: (Sample & { quality: number }) | undefined;

  return {
    async add(spans: SampledSpan[]): Promise<void> {
      if (spans.length === 0) return;
      const moments = spans.map(({ samples }) => chooseMoments(samples));
      const sounds: ChunkSound[] = [];
      for (const span of spans) sounds.push(await sound.take(span));
      const embeddings = await embedSpansWithAll(embedders, moments, sounds);
      for (const [i, { start, end, samples }] of spans.entries()) {
        const best = samples
          .map((sample) => ({ ...sample, quality: thumbnailQuality(sample.image) }))
          .reduce((a, b) => (b.quality > a.quality ? b : a));
        if (!poster || best.quality > poster.quality) poster = best;
        const thumbnail = `chunk-${String(chunks.length).padStart(5, '0')}.webp`;
        await writeThumbnail(path.join(outputDirectory, thumbnail), best.image);
        await writeSmaller(outputDirectory, thumbnail, best.image);
        chunks.push({
          start,
          end,
          thumbnail,
          blank: samples.every(({ image }) => isBlank(image)),
          frozen: isFrozen(samples),
          embeddings: embeddings[i] ?? [],
        });
      }
    },

    /** The chunks. Throws `UnreadableMediaError` where there are none. */
    finish(): Pick<AnalysedVideo, 'chunks' | 'poster'> {
      if (!poster) {
        throw new UnreadableMediaError(
          'unreadable_media',
          'No frame of this video could be decoded. It may be damaged or cut off; play it on your computer and export it again.',
        );
      }
      // A video made of stills as a whole did not freeze.
      const moves = chunks.some(({ frozen }) => !frozen);
      return {
        poster,
        chunks: chunks.map(({ frozen, ...chunk }) => ({
          ...chunk,
          blank: chunk.blank || (frozen && moves),
        })),
      };
    },
  };
}

import { chooseMoments } from '@media-search/indexing/choose-moments';
import { embedPhoto, embedSpans } from '@media-search/indexing/embed-chunks';
import type { ChunkEmbedding } from '@media-search/indexing/indexed-media';
import { type Sample, sampleVideo } from '@media-search/indexing/sample-video';
import { decodeImage } from '@media-search/media/decode-image';
import { probeVideo } from '@media-search/media/probe-video';
import type { Reading } from '@media-search/media/read-packets';
import type { Embedder } from '@media-search/models/embedder';
import type { MediaType } from '../../contract/media.ts';
import { openSpanSound } from './span-sound.ts';

export type Span = { start: number; end: number };

/**
 * Embeds the chunks of an item that has been indexed before, from its original. Throws `UnreadableMediaError`, also for a recording.
 * @param spans its chunks in order of time, seconds
 * @returns an embedding of each
 */
export async function reembedItem(
  file: { path: string; type: MediaType; mimeType: string },
  spans: Span[],
  embedder: Embedder,
  reading: Reading,
): Promise<ChunkEmbedding[]> {
  if (file.type === 'image') {
    const embedding = await embedPhoto(embedder, await decodeImage(file.path, file.mimeType));
    return spans.map(() => embedding);
  }
  await using probed = await probeVideo(file.path, reading.signal);
  await using sound = openSpanSound(file.path, { ...reading, duration: probed.duration, isWanted: embedder.hears });
  const embeddings: ChunkEmbedding[] = [];
  let samples: Sample[] = [];
  let last: Sample | undefined;
  /** Embeds the spans that end before a time. */
  async function finish(time: number): Promise<void> {
    for (let span = spans[embeddings.length]; span && span.end <= time; span = spans[embeddings.length]) {
      const { end } = span;
      const inside = samples.filter((sample) => sample.time < end);
      samples = samples.filter((sample) => sample.time >= end);
      // A span too short for a sample of its own is like the moment before it.
      const chosen = inside.length > 0 || !last ? inside : [last];
      embeddings.push(...(await embedSpans(embedder, [chooseMoments(chosen)], [await sound.take(span)])));
    }
  }
  for await (const event of sampleVideo(probed, reading)) {
    if (event.kind !== 'sample') continue;
    await finish(event.sample.time);
    samples.push(event.sample);
    last = event.sample;
  }
  await finish(Infinity);
  return embeddings;
}

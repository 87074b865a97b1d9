import type { Reading } from '@media-search/media/read-packets';
import { readSound, type SoundBlock } from '@media-search/media/read-sound';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import type { ChunkSound } from '@media-search/models/embedder';

/** Samples a second. */
const soundRate = 16_000;

export type SpanSound = AsyncDisposable & {
  /**
   * The sound of a span; null where there is none. Spans are asked for in order of time.
   * @param span seconds
   */
  take(span: { start: number; end: number }): Promise<ChunkSound>;
};

/**
 * Reads the sound of a video span by span, so that memory does not grow with its length. A track that cannot be read is as none: it is no reason to index nothing.
 * @param isWanted whether anybody takes it; otherwise nothing is read
 * @param duration of the video as the container states it, seconds; 0 where it does not
 */
export function openSpanSound(
  path: string,
  { isWanted, duration, ...reading }: Reading & { isWanted: boolean; duration: number },
): SpanSound {
  const blocks = readSound(path, { ...reading, from: 0, duration: duration > 0 ? duration : Infinity });
  let isOver = !isWanted;
  /** Those that were read and may belong to the next span. */
  let ahead: SoundBlock[] = [];

  /** Reads until a time. */
  async function readTo(time: number): Promise<void> {
    while (!isOver && (ahead.at(-1)?.start ?? 0) < time) {
      const { done, value } = await blocks.next();
      if (done) isOver = true;
      else ahead.push(value);
    }
  }

  return {
    async take({ start, end }) {
      try {
        await readTo(end);
      } catch (error) {
        if (!(error instanceof UnreadableMediaError)) throw error;
        isOver = true;
      }
      const samples = new Float32Array(Math.max(0, Math.round((end - start) * soundRate)));
      let isHeard = false;
      for (const { start: at, samples: read } of ahead) {
        const offset = Math.round((at - start) * soundRate);
        const part = read.subarray(Math.max(0, -offset), Math.max(0, samples.length - offset));
        if (part.length === 0) continue;
        samples.set(part, Math.max(0, offset));
        isHeard = true;
      }
      ahead = ahead.filter(({ start: at, samples: read }) => at + read.length / soundRate > end);
      return isHeard ? samples : null;
    },
    async [Symbol.asyncDispose]() {
      await blocks.return({ seconds: 0, damaged: false });
    },
  };
}

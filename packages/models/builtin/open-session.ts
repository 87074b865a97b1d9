import path from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import { ModelError } from '../model-error.ts';

/**
 * Loads a graph with an output `embedding`, and maybe others, for ONNX Runtime on the processor. Throws `ModelError`.
 * @param threads that it may use
 * @returns functions that run it, and the class of its inputs
 */
export async function openSession(file: string, threads: number) {
  const { session, Tensor } = await load(file, threads).catch((error: unknown) => {
    throw new ModelError(`The weights ${path.basename(file)} of the built-in embedder cannot be loaded.`, {
      cause: error,
    });
  });
  return {
    Tensor,
    /** Runs it on one set of inputs, for its output `embedding`. */
    run: async (inputs: Record<string, Tensor>): Promise<Float32Array> => {
      const { embedding } = (await session.run(inputs, ['embedding'])) as { embedding: Tensor };
      return takeData(embedding);
    },
    /** Runs it on one set of inputs, for all of its outputs by their names. */
    runForAll: async (inputs: Record<string, Tensor>): Promise<Record<string, Float32Array>> => {
      const outputs = await session.run(inputs);
      return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, takeData(tensor)]));
    },
  };
}

function takeData(tensor: Tensor): Float32Array {
  const data = Float32Array.from(tensor.data as Float32Array);
  tensor.dispose();
  return data;
}

async function load(file: string, threads: number) {
  // ONNX Runtime takes time and memory, which only processes that need it should spend.
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // With a plan of the memory the peak is 15 MB higher, and it is no quicker.
    enableMemPattern: false,
    // A thread that waits would keep its core busy, which another process needs.
    extra: { session: { 'intra_op.allow_spinning': '0' } },
    logSeverityLevel: 3,
  });
  return { session, Tensor };
}

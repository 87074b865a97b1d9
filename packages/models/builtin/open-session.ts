import path from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import { ModelError } from '../model-error.ts';

/**
 * Loads a graph for ONNX Runtime on the processor. Throws `ModelError`.
 * @param threads that it may use
 * @param outputs names of what it returns, float32
 * @returns a function that runs it, and the class of its inputs
 */
export async function openSession<Output extends string>(file: string, threads: number, outputs: readonly Output[]) {
  const { session, Tensor } = await load(file, threads).catch((error: unknown) => {
    throw new ModelError(`The weights ${path.basename(file)} of the built-in embedder cannot be loaded.`, {
      cause: error,
    });
  });
  return {
    Tensor,
    /** Runs it on one set of inputs. */
    run: async (inputs: Record<string, Tensor>): Promise<Record<Output, Float32Array>> => {
      const tensors = (await session.run(inputs, outputs)) as Record<Output, Tensor>;
      return Object.fromEntries(outputs.map((output) => [output, takeData(tensors[output])])) as Record<
        Output,
        Float32Array
      >;
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

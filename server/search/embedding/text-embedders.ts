import type { Embedder, EmbedderReference, TextEmbedding } from '@media-search/models/embedder';
import { builtinReference, createEmbedderLoader } from '@media-search/models/load-embedder';
import { ModelError } from '@media-search/models/model-error';
import { traitsOf } from '@media-search/models/model-traits';
import type { LoadableModel } from '@media-search/models/semantic/semantic-embedder';
import { LRUCache } from 'lru-cache';
import { createWorkerPool } from '../../platform/processes/worker-pool.ts';
import type { TextAnswer, TextResult, TextTask } from './text-tasks.ts';

/** An embedder in the service's own process: it embeds texts, and `reference` is what other processes need to embed images. */
export type QueryEmbedder = Omit<Embedder, 'embedChunks' | 'embedComposed'> & {
  reference: EmbedderReference;
  /** Embeds a query in the space of passages of texts; null where it cannot. */
  embedSentence: (query: string) => Promise<Float32Array | null>;
};

/** A process that uses more memory than this is replaced after its task, in bytes. */
const maxProcessBytes = 3 * 2 ** 30;
/** Vectors of queries cached in memory. */
const maxCachedQueries = 1000;

/** Turns queries into vectors: descriptors here, models in a process that is started when first needed. */
export function createTextEmbedders() {
  const loadEmbedder = createEmbedderLoader(1);
  let pool: ReturnType<typeof createWorkerPool> | undefined;
  const known = new LRUCache<string, TextEmbedding>({ max: maxCachedQueries });

  async function runTask<Kind extends TextTask['kind']>(
    task: Extract<TextTask, { kind: Kind }>,
  ): Promise<TextResult[Kind]> {
    pool ??= createWorkerPool({
      filename: new URL('./text-worker.ts', import.meta.url),
      maxProcesses: 1,
      minProcesses: 1,
    });
    try {
      const { result, memory } = (await pool.run(task)) as TextAnswer<Kind>;
      // Tinypool's own limit covers only the JavaScript heap, of which a model uses very little.
      if (memory > maxProcessBytes) pool.recycle().catch(() => undefined);
      return result;
    } catch (error) {
      // Errors come from another process as plain objects.
      const message = (error as { message?: string } | undefined)?.message ?? String(error);
      throw new ModelError(message, { cause: error });
    }
  }

  async function embedInProcess(reference: EmbedderReference, query: string): Promise<TextEmbedding> {
    const key = `${reference.id}\n${query}`;
    const cached = known.get(key);
    if (cached) return cached;
    const { vector, unknown, sentence } = await runTask({ kind: 'embed', reference, query });
    const embedding = {
      vector: vector && Float32Array.from(vector),
      unknown,
      ...(sentence === undefined ? {} : { sentence: sentence && Float32Array.from(sentence) }),
    };
    known.set(key, embedding);
    return embedding;
  }

  return {
    createQueryEmbedder(reference: EmbedderReference): QueryEmbedder {
      const traits = traitsOf(reference);
      return {
        id: reference.id,
        kind: reference.kind,
        dimensions: reference.dimensions,
        ...traits,
        reference,
        embedText: async (query) =>
          traits.needsTextProcess ? embedInProcess(reference, query) : (await loadEmbedder(reference)).embedText(query),
        // Where the model of passages cannot be run, images and words still answer.
        embedSentence: async (query) =>
          (await embedInProcess(builtinReference, query).catch(() => null))?.sentence ?? null,
      };
    },
    /** Tests both towers of a model. Throws `ModelError`. @returns the dimensions of its vectors */
    tryModel: (model: LoadableModel): Promise<number> => runTask({ kind: 'try', model }),
    /** Tests both towers of the built-in embedder. Throws `ModelError`. */
    async tryBuiltin(reference: EmbedderReference): Promise<void> {
      await runTask({ kind: 'try-builtin', reference });
      // The image tower takes memory that texts do not need.
      pool?.recycle().catch(() => undefined);
    },
    stop: async (): Promise<void> => pool?.stop(),
  };
}

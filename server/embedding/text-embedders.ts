import { LRUCache } from 'lru-cache';
import type { Embedder, EmbedderReference } from '../models/embedder.ts';
import { createEmbedderLoader } from '../models/load-embedder.ts';
import { traitsOf } from '../models/model-traits.ts';
import { ModelError } from '../models/semantic/model-folder.ts';
import type { LoadableModel } from '../models/semantic/semantic-embedder.ts';
import { createWorkerPool } from '../processes/worker-pool.ts';
import type { TextAnswer, TextResult, TextTask } from './text-tasks.ts';

/** An embedder in the service's own process: it embeds texts, and `reference` is what other processes need to embed images. */
export type QueryEmbedder = Omit<Embedder, 'embedChunks'> & { reference: EmbedderReference };

/** A process that uses more memory than this is replaced after its task, in bytes. */
const maxProcessBytes = 3 * 2 ** 30;
/** Vectors of queries cached in memory. */
const maxCachedQueries = 1000;

/** Turns queries into vectors: small embedders here, semantic models in a process that is started when first needed. */
export function createTextEmbedders() {
  const loadEmbedder = createEmbedderLoader(1);
  let pool: ReturnType<typeof createWorkerPool> | undefined;
  const known = new LRUCache<string, Float32Array>({ max: maxCachedQueries });

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

  async function embedInProcess(reference: EmbedderReference, query: string): Promise<Float32Array> {
    const key = `${reference.id}\n${query}`;
    const vector = known.get(key) ?? Float32Array.from(await runTask({ kind: 'embed', reference, query }));
    known.set(key, vector);
    return vector;
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
          traits.needsTextProcess
            ? { vector: await embedInProcess(reference, query), unknown: [] }
            : (await loadEmbedder(reference)).embedText(query),
      };
    },
    /** Tests both towers of a model. Throws `ModelError`. @returns the dimensions of its vectors */
    tryModel: (model: LoadableModel): Promise<number> => runTask({ kind: 'try', model }),
    stop: async (): Promise<void> => pool?.stop(),
  };
}

import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { initializeChildProcess } from '../../platform/processes/child-process.ts';
import type { TextAnswer, TextResult, TextTask } from './text-tasks.ts';

/**
 * The process that turns queries into vectors. It is a separate process so that the weights are loaded once and stay, and because ONNX
 * Runtime is native code.
 */

const loadEmbedder = createEmbedderLoader(1);

initializeChildProcess();

const tasks: { [Kind in TextTask['kind']]: (task: Extract<TextTask, { kind: Kind }>) => Promise<TextResult[Kind]> } = {
  async embed({ reference, query }) {
    const embedder = await loadEmbedder(reference);
    const { vector, unknown, sentence } = await embedder.embedText(query);
    return { vector: vector && Array.from(vector), unknown, sentence: sentence && Array.from(sentence) };
  },
  async try({ model }) {
    const { tryModel } = await import('@media-search/models/semantic/semantic-embedder');
    return tryModel(model);
  },
  async 'try-builtin'({ reference }) {
    const { tryBuiltinEmbedder } = await import('@media-search/models/builtin/builtin-embedder');
    await tryBuiltinEmbedder(reference);
    return null;
  },
};

/** Runs one task; the pool calls it. */
// oxlint-disable-next-line import/no-default-export -- tinypool calls the default export of a worker
export default async function run<Kind extends TextTask['kind']>(
  task: Extract<TextTask, { kind: Kind }>,
): Promise<TextAnswer<Kind>> {
  const result = await tasks[task.kind](task);
  return { result, memory: process.memoryUsage.rss() };
}

import path from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { BuilderMessage, BuilderRequest } from './builder-messages.ts';
import { type BuiltIndex, type IndexKey, takeSnapshot } from './built-index.ts';
import type { IndexSource } from './index-source.ts';
import { type IndexKeeper, keepIndex } from './keep-index.ts';

/**
 * Keeps the search indexes of all workspaces up to date, and improves and saves them, at the request of the thread that started this one: no
 * search waits for that. To be called once in a worker thread.
 * @param directory where indexes are saved, in a folder for each workspace
 * @param close called when the indexes are saved and the thread ends
 */
export function serveBuilder(source: IndexSource, directory: string, close: () => Promise<void>): void {
  const keepers = new Map<string, IndexKeeper>();
  const send = (message: BuilderMessage): void => parentPort?.postMessage(message);

  parentPort?.on('message', (request: BuilderRequest) => {
    handle(request).then(
      () => send({ kind: 'done', id: request.id }),
      (error: unknown) => send({ kind: 'failed', id: request.id, error: toError(error) }),
    );
  });

  async function handle(request: BuilderRequest): Promise<void> {
    if (request.kind === 'refresh') {
      await (await findKeeper(request)).refresh();
      return;
    }
    if (request.kind === 'close') {
      const keeper = keepers.get(request.workspaceId);
      // A refresh from now on loads it again.
      keepers.delete(request.workspaceId);
      await keeper?.stop();
      return;
    }
    // One that cannot be saved does not keep the others from it.
    for (const [workspaceId, keeper] of keepers) {
      await keeper.stop().catch((error: unknown) => send({ kind: 'problem', workspaceId, error: toError(error) }));
    }
    await close();
  }

  /** Keeps the index of a workspace under its active embedder from now on. */
  async function findKeeper({ workspaceId, embedder }: IndexKey): Promise<IndexKeeper> {
    const existing = keepers.get(workspaceId);
    if (existing?.key.embedder.id === embedder.id) return existing;
    const file = path.join(directory, workspaceId, `${embedder.id.replaceAll(/[^\w.-]+/g, '-')}.index`);
    const keeper = keepIndex({
      source,
      key: { workspaceId, embedder },
      file,
      publish: (index: BuiltIndex) =>
        send({ kind: 'snapshot', workspaceId, embedderId: embedder.id, snapshot: takeSnapshot(index) }),
      report: (error) => send({ kind: 'problem', workspaceId, error: toError(error) }),
    });
    keepers.set(workspaceId, keeper);
    await existing?.discard();
    return keeper;
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

import path from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { BuilderMessage, BuilderRequest } from './builder-messages.ts';
import { type BuiltIndex, type IndexKey, takeSnapshot } from './built-index.ts';
import { nameInFiles } from './index-file.ts';
import type { IndexSharing } from './index-sharing.ts';
import type { IndexSource } from './index-source.ts';
import { type IndexKeeper, keepIndex } from './keep-index.ts';

type Parts = { source: IndexSource; sharing: IndexSharing; directory: string; close: () => Promise<void> };

/**
 * Keeps the search indexes of all workspaces up to date, and improves and saves them, at the request of the thread that started this one: no
 * search waits for that. To be called once in a worker thread.
 * @param parts.directory where indexes are saved, in a folder for each workspace
 * @param parts.close called when the indexes are saved and the thread ends
 */
export function serveBuilder({ source, sharing, directory, close }: Parts): void {
  const keepers = new Map<string, IndexKeeper>();
  const send = (message: BuilderMessage): void => parentPort?.postMessage(message);

  parentPort?.on('message', (request: BuilderRequest) => {
    handle(request).then(
      (isReady) => send({ kind: 'done', id: request.id, isReady }),
      (error: unknown) => send({ kind: 'failed', id: request.id, error: toError(error) }),
    );
  });

  async function handle(request: BuilderRequest): Promise<boolean> {
    if (request.kind === 'refresh') return (await findKeeper(request)).refresh();
    if (request.kind === 'close') {
      const keeper = keepers.get(request.workspaceId);
      // A refresh from now on loads it again.
      keepers.delete(request.workspaceId);
      await keeper?.stop();
      return true;
    }
    // One that cannot be saved does not keep the others from it.
    for (const [workspaceId, keeper] of keepers) {
      await keeper.stop().catch((error: unknown) => send({ kind: 'problem', workspaceId, error: toError(error) }));
    }
    await close();
    return true;
  }

  /** Keeps the index of a workspace under its active embedder from now on. */
  async function findKeeper({ workspaceId, embedder }: IndexKey): Promise<IndexKeeper> {
    const existing = keepers.get(workspaceId);
    if (existing?.key.embedder.id === embedder.id) return existing;
    const file = path.join(directory, workspaceId, `${nameInFiles(embedder.id)}.index`);
    const keeper = keepIndex({
      source,
      sharing,
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

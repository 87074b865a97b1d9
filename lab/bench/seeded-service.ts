import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sentenceModel } from '@media-search/models/builtin/sentence-model';
import { builtinReference } from '@media-search/models/load-embedder';
import { toUnit } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import { listWorkspaces } from '../../server/catalog/accounts/workspaces.ts';
import { openCatalog } from '../../server/catalog/open-catalog.ts';
import type { Catalog } from '../../server/catalog/schema.ts';
import { catalogFile } from '../../server/platform/storage/data-directory.ts';
import { readGreeting, spawnProgram } from '../../server/testing/programs.ts';
import { createTestClient, type TestClient } from '../../server/testing/running-service.ts';
import { seedChunks } from '../../server/testing/seed-chunks.ts';
import { perItem, textAt, wordAt } from './search/corpus.ts';
import { createRandom } from './vectors.ts';

/** The real service in a process of its own, over chunks that were never indexed: random vectors, and texts as in `lab/bench/search.ts`. */
export type SeededService = AsyncDisposable & {
  url: string;
  key: string;
  /** The identifier of its main process. */
  pid: number;
  client: TestClient;
  db: Catalog;
  catalogFile: string;
  workspaceId: string;
  folder: string;
  dataDirectory: string;
};

/** The vector of the chunk at a place. */
export type VectorAt = (place: number, dimensions: number) => Float32Array;

const randomVectorAt: VectorAt = (place, dimensions) => {
  const random = createRandom('vector', place);
  return toUnit(Float32Array.from({ length: dimensions }, () => random() - 0.5));
};

/**
 * Starts it; its first search is answered already, and its index is complete.
 * @param more settings; `EMBEDDER` may be `builtin` too
 * @param lineAt the text of the chunk at a place
 */
export async function startSeededService(
  chunks: number,
  more: Record<string, string> = {},
  vectorAt: VectorAt = randomVectorAt,
  lineAt: (place: number) => string = textAt,
): Promise<SeededService> {
  const folder = await temporaryFolder();
  const settings = {
    DATA_DIR: folder.file('data'),
    PORT: '0',
    WORKERS: '1',
    EMBEDDER: 'descriptors',
    REQUESTS_PER_MINUTE: '0',
    ...more,
  };
  const first = spawnProgram('main', [], settings);
  await readGreeting(first);
  await stop(first);
  const db = await openCatalog(catalogFile(settings.DATA_DIR));
  const workspaceId = (await listWorkspaces(db))[0]?.id ?? '';
  const { id, dimensions } = settings.EMBEDDER === 'builtin' ? builtinReference : descriptorsEmbedder;
  await seedChunks(db, workspaceId, id, { count: chunks, perItem }, (place) => ({
    vector: vectorAt(place, dimensions),
    text: lineAt(place),
  }));
  // Drawn words mean nothing: there are no passages to make of them while something else is measured.
  await sql`insert into passage_states (workspace_id, media_id, state, model, updated_at)
    select workspace_id, id, 'complete', ${sentenceModel.id}, '2026-01-01T00:00:00.000Z' from media_items where workspace_id = ${workspaceId}`.execute(
    db,
  );
  const service = spawnProgram('main', [], settings);
  const { url, key } = await readGreeting(service);
  service.stdout?.resume();
  service.stderr?.resume();
  const client = createTestClient(url, key);
  await client.search('red');
  if (chunks >= leastSaved) await waitForIndex(path.join(settings.DATA_DIR, 'indexes'));
  return {
    url,
    key,
    pid: service.pid ?? 0,
    client,
    db,
    catalogFile: catalogFile(settings.DATA_DIR),
    workspaceId,
    folder: folder.path,
    dataDirectory: settings.DATA_DIR,
    async [Symbol.asyncDispose]() {
      await stop(service);
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Indexes of so many chunks are saved in the background, once their graph is complete and their texts are merged. */
export const leastSaved = 10_000;

/** Waits until an index is saved: searches are answered before, but take longer. */
export async function waitForIndex(directory: string): Promise<void> {
  const isSaved = async () => (await readdir(directory, { recursive: true })).some((file) => file.endsWith('.index'));
  while (!(await isSaved().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 100));
}

const colours = ['red', 'green', 'blue', 'yellow', 'dark', 'bright', 'striped'];

/** A colour, which the descriptors know, and a word of the texts. */
export const queryAt = (i: number): string => `${colours[i % colours.length]} ${wordAt(20 + ((i * 13) % 480))}`;

async function stop(program: ReturnType<typeof spawnProgram>): Promise<void> {
  const ended = new Promise((resolve) => program.once('exit', resolve));
  program.kill('SIGINT');
  await ended;
}

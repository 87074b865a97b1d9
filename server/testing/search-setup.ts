import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { createWorkspace } from '../catalog/accounts/workspaces.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { createStageTimer } from '../platform/metrics/stage-timer.ts';
import type { QueryEmbedder } from '../search/embedding/text-embedders.ts';
import { createPostgresRanker } from '../search/postgres/postgres-ranker.ts';
import type { Limits } from '../search/postgres/search-scope.ts';
import { createSearchEngine, type SearchEngine } from '../search/search-engine.ts';
import { type Backend, backends, openFresh } from './fresh-catalog.ts';
import { startMemorySearch } from './memory-search.ts';
import { queryEmbedderOf } from './query-embedder.ts';
import { seedChunks } from './seed-chunks.ts';
import { testDatabaseUrl } from './temporary-database.ts';

const dimensions = 16;

/** An embedder that has a vector for any text, the same each time. */
export const textEmbedder: QueryEmbedder = queryEmbedderOf('text@1', dimensions, (text) => {
  let seed = 7;
  for (const character of text) seed = (seed * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return Promise.resolve({ vector: drawVector(createRandom(seed), dimensions), unknown: [] });
});

export const searchOptions = (count: number, dedupe = false) => ({ count, dedupe, timer: createStageTimer() });

/** `followed`: a catalog in PostgreSQL that indexes in memory follow, as the service has it once they are loaded. */
export type SearchBackend = Backend | 'followed';

/** What tests of searches run over. */
export const searchBackends: readonly SearchBackend[] =
  testDatabaseUrl === undefined ? backends : [...backends, 'followed'];

/** A catalog on disk or in PostgreSQL, and search engines over it. */
export async function setUpSearch(backend: SearchBackend = 'sqlite') {
  const folder = await temporaryFolder();
  const catalog =
    backend === 'sqlite'
      ? await openOnDisk(folder.file('catalog.db'))
      : await openFresh(backend === 'followed' ? 'postgres' : backend);
  const { db, location } = catalog;
  const engines: SearchEngine[] = [];
  const problems: Error[] = [];
  return {
    db,
    location,
    folder,
    /** What the engines reported. */
    problems,
    async addWorkspace(workspace: string): Promise<string> {
      const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace, owner: 'Tester' });
      return id;
    },
    /**
     * @param getEmbedder the active embedder; unless it says otherwise `textEmbedder`
     * @param limits of PostgreSQL's ranking
     */
    startEngine(getEmbedder: () => QueryEmbedder = () => textEmbedder, limits?: Limits): SearchEngine {
      const parts = { db, getEmbedder: () => Promise.resolve(getEmbedder()) };
      const isInMemory = backend === 'sqlite' || backend === 'followed';
      const engine = isInMemory
        ? startMemorySearch({
            ...parts,
            location,
            indexDirectory: folder.file('indexes'),
            onProblem: (error) => problems.push(error),
          })
        : createSearchEngine({ ...parts, ranker: createPostgresRanker(db, limits) });
      engines.push(engine);
      return engine;
    },
    async [Symbol.asyncDispose]() {
      for (const engine of engines) await engine.stop();
      await catalog[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/**
 * A workspace with one item for each text, and an embedder that has a vector for any query, different from those of the texts.
 * @param seed of their vectors
 * @returns the search of it: what was embedded for it, and the words of texts that it marks, the best hit first
 */
export async function setUpTextSearch(
  t: Awaited<ReturnType<typeof setUpSearch>>,
  texts: readonly string[],
  seed: number,
  kind: QueryEmbedder['kind'] = 'semantic',
) {
  const workspaceId = await t.addWorkspace('Texts');
  const random = createRandom(seed);
  let embedded: string[] = [];
  const embedder = queryEmbedderOf('text@1', dimensions, (text) => {
    embedded.push(text);
    return Promise.resolve({ vector: drawVector(createRandom(text.length), dimensions), unknown: [] });
  });
  await seedChunks(t.db, workspaceId, embedder.id, { count: texts.length, perItem: 1 }, (place) => ({
    vector: drawVector(random, dimensions),
    text: texts[place] ?? '',
  }));
  const engine = t.startEngine(() => ({ ...embedder, kind }));
  return async (query: string, options: { asWritten?: boolean; places?: ['visual'] } = {}) => {
    embedded = [];
    const found = await engine.searchByText(workspaceId, query, {}, { ...searchOptions(20), ...options });
    const passages = found.hits.flatMap(({ signals }) => (signals.matches ?? []).flatMap(({ excerpt }) => excerpt));
    return { ...found, embedded, words: passages.filter(({ matched }) => matched).map(({ text }) => text) };
  };
}

async function openOnDisk(file: string) {
  const db = await openCatalog(file);
  return { db, location: { file }, [Symbol.asyncDispose]: () => db.destroy() };
}

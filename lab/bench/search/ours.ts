import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import { allSources } from '@media-search/search-engine/text/text-sources';
import { createWorkspace, listWorkspaces } from '../../../server/catalog/accounts/workspaces.ts';
import { dialectOf } from '../../../server/catalog/dialect/dialect.ts';
import { deleteMedia } from '../../../server/catalog/media/media-items.ts';
import { openCatalog } from '../../../server/catalog/open-catalog.ts';
import type { Catalog } from '../../../server/catalog/schema.ts';
import { createSecrets } from '../../../server/platform/crypto/secrets.ts';
import { createStageTimer } from '../../../server/platform/metrics/stage-timer.ts';
import type { QueryEmbedder } from '../../../server/search/embedding/text-embedders.ts';
import type { Ranker } from '../../../server/search/ranker.ts';
import { createSearchEngine, type SearchEngine } from '../../../server/search/search-engine.ts';
import { startMemoryRanker } from '../../../server/testing/memory-search.ts';
import { queryEmbedderOf } from '../../../server/testing/query-embedder.ts';
import { seedChunks } from '../../../server/testing/seed-chunks.ts';
import { type Corpus, type Filter, type Owner, perItem, wanted } from './corpus.ts';
import type { Engine, OpenEngine } from './engine.ts';

/** Our engine over a catalog of its own, called as the HTTP thread calls it; its queries are embedded already. */
export const openOurs: OpenEngine = async ({ corpus, folder, isBuilt, onStored }): Promise<Engine> => {
  const [engine] = await openOurWorkspaces([corpus], folder, isBuilt, onStored);
  return engine as Engine;
};

/** Our engine over one catalog with a workspace for each corpus. The first engine that is closed closes all. */
export async function openOurWorkspaces(
  corpora: Corpus[],
  folder: string,
  isBuilt: boolean,
  onStored?: () => void,
): Promise<Engine[]> {
  const catalogFile = path.join(folder, 'catalog.db');
  const indexDirectory = path.join(folder, 'indexes');
  const db = await openCatalog(catalogFile);
  if (!isBuilt) {
    for (const corpus of corpora) await storeCorpus(corpus, db);
    onStored?.();
  }
  // What the models take is measured elsewhere: here a query is one that was embedded before.
  const embedded = new Map<string, Float32Array>();
  const embedder = queryEmbedderOf(embedderId, corpora[0]?.dimensions ?? 0, (text) =>
    Promise.resolve({ vector: embedded.get(text) ?? null, unknown: [] }),
  );
  const getEmbedder = () => Promise.resolve(embedder);
  const onProblem = (error: Error) => console.error(error);
  const ranker = startMemoryRanker({ db, location: { file: catalogFile }, indexDirectory, getEmbedder, onProblem });
  const search = createSearchEngine({ db, ranker, getEmbedder });
  const engines: Engine[] = [];
  for (const [i, { id }] of (await listWorkspaces(db)).entries()) {
    const corpus = corpora[i] as Corpus;
    await search.warm(id);
    if (!isBuilt && corpus.size >= leastSaved) await waitForFile(path.join(indexDirectory, id, 'bench-1.index'));
    engines.push(await openWorkspace({ db, ranker, search, embedder, embedded }, id, corpus));
  }
  return engines;
}

type Opened = {
  db: Catalog;
  ranker: Ranker;
  search: SearchEngine;
  embedder: QueryEmbedder;
  embedded: Map<string, Float32Array>;
};

async function openWorkspace(opened: Opened, workspaceId: string, corpus: Corpus): Promise<Engine> {
  const { db, ranker, search, embedder, embedded } = opened;
  const { first, filterOf } = await readPlaces(db, workspaceId);
  const options = { count: wanted, dedupe: false };
  /** What the search engine asks of its ranker: numbers and scores, nothing is read. */
  const rank = async (vector: Float32Array, words: string[], filter: Filter) => {
    const asked = {
      vector,
      meaning: null,
      excludedVectors: [],
      text: parseTextQuery(words.join(' ')),
      sources: allSources,
    };
    const ranked = await ranker.search(workspaceId, embedder, { ...asked, filter: filterOf(filter), options });
    return (ranked?.hits ?? []).slice(0, wanted).map(({ number }) => number - first);
  };
  return {
    efforts: [{ name: 'as it is', use: () => undefined }],
    hybrid: ({ vector, words }, filter) => rank(vector, words, filter),
    async shown({ vector, words }, filter) {
      const text = words.join(' ');
      embedded.set(text, vector);
      // Words that are drawn may be stems of some language: they are no words of it.
      const timed = { ...options, asWritten: true, timer: createStageTimer() };
      const { hits } = await search.searchByText(workspaceId, text, filterOf(filter), timed);
      return hits.map(({ chunk, signals }) => ({
        place: chunk.number - first,
        text: (signals.excerpt ?? []).map((part) => part.text).join(''),
      }));
    },
    vector: ({ vector }, filter) => rank(vector, [], filter),
    async relevances({ vector }) {
      const relevance = await search.relevanceOf(workspaceId, vector);
      return Array.from({ length: 2001 }, (_, i) => relevance(i / 1000 - 1));
    },
    ...createChanges(db, workspaceId, corpus),
    async close() {
      await search.stop();
      await db.destroy();
    },
  };
}

const embedderId = 'bench@1';

/** Indexes of so many chunks are saved in the background, once their graph is complete and their texts are merged. */
const leastSaved = 10_000;

/** Searches are answered before, but the index is not all built. */
async function waitForFile(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** The number of the first chunk of a workspace, and how a filter by owner is asked for. */
async function readPlaces(db: Catalog, workspaceId: string) {
  const { number: first } = await db
    .selectFrom('chunks')
    .select('number')
    .where(dialectOf(db).withoutIndex('workspace_id'), '=', workspaceId)
    .orderBy('number')
    .limit(1)
    .executeTakeFirstOrThrow();
  const rows = await db.selectFrom('creators').select(['id', 'name']).where('workspace_id', '=', workspaceId).execute();
  const creators = new Map(rows.map(({ id, name }) => [name, id]));
  const filterOf = (owner: Filter) => (owner ? { creator_id: creators.get(owner) as string } : {});
  return { first, filterOf };
}

/** Uploads and deletes, as a worker and the HTTP thread do them. */
function createChanges(db: Catalog, workspaceId: string, corpus: Corpus): Pick<Engine, 'add' | 'removeAdded'> {
  const added: string[] = [];
  return {
    async add(sources) {
      const count = { count: sources.length, perItem: sources.length };
      const numbers = await seedChunks(db, workspaceId, embedderId, count, (i) => ({
        vector: corpus.vectorAt(sources[i] as number),
        text: corpus.textAt(sources[i] as number),
      }));
      const { media_id } = await db
        .selectFrom('chunks')
        .select('media_id')
        .where('number', '=', numbers[0] as number)
        .executeTakeFirstOrThrow();
      added.push(media_id);
    },
    async removeAdded() {
      await deleteMedia(db, workspaceId, added.shift() as string);
    },
  };
}

/** Stores what is searched as indexing would, with a creator for each owner. */
async function storeCorpus(corpus: Corpus, db: Catalog): Promise<void> {
  const names = { workspace: 'Bench', owner: 'Bench' };
  const { id: workspaceId } = await createWorkspace(db, createSecrets(new Uint8Array(32)), names);
  const numbers = await seedChunks(db, workspaceId, embedderId, { count: corpus.size, perItem }, (place) => ({
    vector: corpus.vectorAt(place),
    text: corpus.textAt(place),
  }));
  for (const owner of ['half', 'hundredth', 'tenThousandth'] satisfies Owner[]) {
    const id = randomUUID();
    const created_at = new Date().toISOString();
    await db
      .insertInto('creators')
      .values({ workspace_id: workspaceId, id, name: owner, folded_name: owner, created_at })
      .execute();
    const first = numbers.filter((_, place) => place % perItem === 0 && corpus.ownerAt(place) === owner);
    for (let i = 0; i < first.length; i += 5000) {
      const items = db
        .selectFrom('chunks')
        .select('media_id')
        .where('number', 'in', first.slice(i, i + 5000));
      await db.updateTable('media_items').set({ creator_id: id }).where('id', 'in', items).execute();
    }
  }
}

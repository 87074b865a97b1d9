import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { mergeTextIndex } from '../../server/catalog/chunk-texts.ts';
import { createLocalIndexes } from '../../server/search/local-indexes.ts';
import { createSearchEngine } from '../../server/search/search-engine.ts';
import { createStageTimer } from '../../server/search/stage-timer.ts';
import type { startTestService } from '../../server/testing/running-service.ts';
import { seedChunks } from '../../server/testing/seed-chunks.ts';
import { privateMemory } from '../private-memory.ts';
import { storedEmbedder } from '../stored-embedder.ts';
import { type Corpus, type Engine, type Query, wanted } from './corpus.ts';

export type OurEngine = Engine & {
  /** Loads the saved index as a restart does. @returns seconds until the first answer */
  restart: () => Promise<number>;
};

type TestService = Awaited<ReturnType<typeof startTestService>>;

/** Our engine over the database of a service, its queries embedded already. */
export async function openOurs(name: string, corpus: Corpus, service: TestService): Promise<OurEngine> {
  const { db, folder, workspaceId } = service;
  const { numbers, creators } = await storeCorpus(corpus, service);
  // What the models take is measured elsewhere: here a query is one that was embedded before.
  const embedded = new Map<string, Float32Array>();
  const embedder = storedEmbedder('bench@1', corpus.dimensions, (text) =>
    Promise.resolve({ vector: embedded.get(text) ?? null, unknown: [] }),
  );
  const newEngine = () =>
    createSearchEngine({
      db,
      ...createLocalIndexes(db, path.join(folder, 'bench-indexes')),
      getEmbedder: () => Promise.resolve(embedder),
    });
  const seconds = async (work: () => Promise<void>) => {
    const began = performance.now();
    await work();
    return (performance.now() - began) / 1000;
  };
  const before = await privateMemory();
  const engine = newEngine();
  const buildSeconds = await seconds(() => engine.warm(workspaceId));
  const memory = (await privateMemory()) - before;
  await engine.save();

  const placeOf = new Map(numbers.map((number, place) => [number, place]));
  const options = () => ({ count: wanted, dedupe: false, timer: createStageTimer() });
  const places = (hits: { chunk: { number: number } }[]) =>
    hits.map(({ chunk }) => placeOf.get(chunk.number) as number);
  return {
    name,
    corpus,
    buildSeconds,
    memory,
    restart: () => seconds(() => newEngine().warm(workspaceId)),
    async hybrid({ vector, text }: Query, owner) {
      embedded.set(text, vector);
      const filter = owner ? { creator_id: creators[owner] } : {};
      return places((await engine.searchByText(workspaceId, text, filter, options())).hits);
    },
    async vector({ vector }) {
      return places((await engine.searchByVector(workspaceId, { vector, embedder }, {}, options())) ?? []);
    },
    close: () => Promise.resolve(),
  };
}

/** Stores what is searched as indexing would, with a creator for each owner. */
async function storeCorpus(corpus: Corpus, { db, workspaceId }: TestService) {
  const numbers = await seedChunks(db, workspaceId, 'bench@1', { count: corpus.size, perItem: 10 }, (place) => ({
    vector: corpus.vectorAt(place),
    text: corpus.textAt(place),
  }));
  // As an idle worker does.
  await mergeTextIndex(db);
  const addCreator = async (owner: 'one' | 'most'): Promise<string> => {
    const id = randomUUID();
    const created_at = new Date().toISOString();
    await db
      .insertInto('creators')
      .values({ workspace_id: workspaceId, id, name: owner, folded_name: owner, created_at })
      .execute();
    const first = numbers.filter((_, place) => place % 10 === 0 && corpus.ownerAt(place) === owner);
    for (let i = 0; i < first.length; i += 5000) {
      const items = db
        .selectFrom('chunks')
        .select('media_id')
        .where('number', 'in', first.slice(i, i + 5000));
      await db.updateTable('media_items').set({ creator_id: id }).where('id', 'in', items).execute();
    }
    return id;
  };
  return { numbers, creators: { one: await addCreator('one'), most: await addCreator('most') } };
}

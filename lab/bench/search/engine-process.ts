import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  type Filter,
  type Material,
  openCorpus,
  perItem,
  type Query,
  readQueries,
  textAt,
  type WordCount,
} from './corpus.ts';
import type { Engine, OpenEngine, ShownHit } from './engine.ts';
import { type Memory, readMemory } from './memory.ts';

/**
 * The process of one engine, forked by `engine-client.ts`. All engines are called alike: in the process that asks, on its only
 * JavaScript thread, where our service calls its engine too. Time is measured here, around the call.
 */

/** Loaded when they are opened: ours is measured on a machine without the others as well. */
const engines = {
  ours: async () => (await import('./ours.ts')).openOurs,
  zvec: async () => (await import('./zvec.ts')).openZvec,
  LanceDB: async () => (await import('./lancedb.ts')).openLanceDb,
  pgvector: async () => (await import('./pgvector.ts')).openPgvector,
  'sqlite-vec': async () => (await import('./sqlite-vec.ts')).openSqliteVec,
} satisfies Record<string, () => Promise<OpenEngine>>;

export type EngineName = keyof typeof engines;

/** What is asked: both parts with one word or three, ranked alone or with hits that can be shown, or the vector alone. */
export type Kind = WordCount | `${WordCount} shown` | 'vector';

export type Opened = {
  efforts: string[];
  /** Until the first complete answer, seconds. */
  seconds: number;
  /** Of these, until all rows were stored, by an engine that builds its index from them afterwards; else 0. */
  stored: number;
  /** The longest time that the caller's event loop stood still, ms, from when the data were stored. */
  pause: number;
};

/** A search every few milliseconds, beside uploads and deletes or alone. */
export type Steady = { times: number[]; pause: number };

let engine: Engine | undefined;
let queries: Record<WordCount, Query[]> = { one: [], three: [] };
let size = 0;
let before: Memory = { own: 0, mapped: 0, shared: 0 };

const queryOf = (kind: Kind, i: number): Query => {
  const all = kind.startsWith('three') ? queries.three : queries.one;
  return all[i % all.length] as Query;
};

const ask = (kind: Kind, i: number, filter: Filter): Promise<number[] | ShownHit[]> => {
  const query = queryOf(kind, i);
  if (!engine) throw new Error('The engine is not open.');
  if (kind === 'vector') return engine.vector(query, filter);
  return kind.endsWith('shown') ? engine.shown(query, filter) : engine.hybrid(query, filter);
};

/** The place of a hit. Fails where a hit that holds one of the words is shown with another text than its own. */
function placeOf(hit: number | ShownHit, { words }: Query): number {
  if (typeof hit === 'number') return hit;
  const own = textAt(hit.place);
  const isTold = words.some((word) => own.split(' ').includes(word));
  // What was added during a run has the text of another place.
  const isKnown = hit.place < size;
  if (isKnown && (isTold || hit.text !== '') && hit.text !== own) {
    throw new Error(`Place ${hit.place} holds "${own}" and is shown with "${hit.text}".`);
  }
  return hit.place;
}

/** The longest delay of the event loop, ms. A pause counts once the loop has turned again. */
async function readPause(delay: ReturnType<typeof monitorEventLoopDelay>): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  delay.disable();
  return delay.max / 1e6;
}

export const methods = {
  /** Builds the engine's data, or opens what was built. */
  async open(name: EngineName, material: Material, folder: string, isBuilt: boolean): Promise<Opened> {
    queries = await readQueries(material);
    size = material.size;
    before = await readMemory([]);
    const corpus = openCorpus(material);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    let stored = 0;
    const onStored = () => {
      delay.reset();
      stored = (performance.now() - began) / 1000;
    };
    const openEngine = await engines[name]();
    engine = await openEngine({ corpus, folder, isBuilt, onStored });
    await ask('three', 0, null);
    const seconds = (performance.now() - began) / 1000;
    return { efforts: engine.efforts.map((effort) => effort.name), seconds, stored, pause: await readPause(delay) };
  },

  use: async (effort: number): Promise<void> => engine?.efforts[effort]?.use(),

  async ask(kind: Kind, i: number, filter: Filter): Promise<{ ms: number; places: number[] }> {
    const began = performance.now();
    const hits = await ask(kind, i, filter);
    const ms = performance.now() - began;
    return { ms, places: hits.map((hit) => placeOf(hit, queryOf(kind, i))) };
  },

  relevances: async (i: number): Promise<number[] | null> =>
    (await engine?.relevances?.(queries.one[i] as Query)) ?? null,

  /** Hybrid queries per second of some clients, each with its next query as soon as it has an answer; one and three words in turn. */
  async rate(clients: number, seconds: number): Promise<number> {
    const until = performance.now() + 1000 * seconds;
    let asked = 0;
    const client = async () => {
      while (performance.now() < until) await ask(asked % 2 === 0 ? 'one' : 'three', asked++ >> 1, null);
    };
    await Promise.all(Array.from({ length: clients }, client));
    return asked / seconds;
  },

  /** Hybrid searches by one client; meanwhile, `uploadsPerMinute` items of ten chunks are stored, and older ones of them deleted. */
  async steady(seconds: number, uploadsPerMinute: number): Promise<Steady> {
    const times: number[] = [];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    let uploads = 0;
    for (let i = 0; performance.now() - began < 1000 * seconds; i++) {
      const due = uploadsPerMinute > 0 && performance.now() - began >= (uploads * 60_000) / uploadsPerMinute;
      if (due) {
        await engine?.add(Array.from({ length: perItem }, (_, k) => 100 * uploads + k));
        if (uploads++ > 0) await engine?.removeAdded();
      }
      const asked = performance.now();
      await ask(i % 2 === 0 ? 'one' : 'three', i >> 1, null);
      times.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (uploads > 0) await engine?.removeAdded();
    return { times, pause: await readPause(delay) };
  },

  /** What opening and searching added, bytes. */
  async memory(): Promise<Memory> {
    const now = await readMemory((await engine?.processes?.()) ?? []);
    return { own: now.own - before.own, mapped: now.mapped - before.mapped, shared: now.shared - before.shared };
  },

  async close(): Promise<void> {
    await engine?.close();
    setImmediate(() => process.exit());
  },
};

export type Methods = typeof methods;

process.on('message', ({ id, method, args }: { id: number; method: keyof Methods; args: unknown[] }) => {
  const run = methods[method] as (...values: unknown[]) => Promise<unknown>;
  run(...args).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});

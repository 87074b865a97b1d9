import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Filter, type Material, openCorpus, perItem, type Query, readQueries, type WordCount } from './corpus.ts';
import type { Engine, OpenEngine } from './engine.ts';
import { openLanceDb } from './lancedb.ts';
import { type Memory, readMemory } from './memory.ts';
import { openOurs } from './ours.ts';
import { openPgvector } from './pgvector.ts';
import { openSqliteVec } from './sqlite-vec.ts';
import { openZvec } from './zvec.ts';

/**
 * The process of one engine, forked by `engine-client.ts`. All engines are called alike: in the process that asks, on its only
 * JavaScript thread, where our service calls its engine too. Time is measured here, around the call.
 */

export const engines = {
  ours: openOurs,
  zvec: openZvec,
  LanceDB: openLanceDb,
  pgvector: openPgvector,
  'sqlite-vec': openSqliteVec,
} satisfies Record<string, OpenEngine>;

export type EngineName = keyof typeof engines;

/** What is asked: both parts with one word or three, or the vector alone. */
export type Kind = WordCount | 'vector';

export type Opened = {
  efforts: string[];
  /** Until the first complete answer, seconds. */
  seconds: number;
  /** The longest time that the caller's event loop stood still, ms, from when the data were stored. */
  pause: number;
};

/** A search every few milliseconds, beside uploads and deletes or alone. */
export type Steady = { times: number[]; pause: number };

let engine: Engine | undefined;
let queries: Record<Kind, Query[]> = { one: [], three: [], vector: [] };
let before: Memory = { own: 0, mapped: 0, shared: 0 };

const ask = (kind: Kind, i: number, filter: Filter): Promise<number[]> => {
  const query = queries[kind][i % queries[kind].length] as Query;
  if (!engine) throw new Error('The engine is not open.');
  return kind === 'vector' ? engine.vector(query, filter) : engine.hybrid(query, filter);
};

/** The longest delay of the event loop, ms. A pause counts once the loop has turned again. */
async function readPause(delay: ReturnType<typeof monitorEventLoopDelay>): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  delay.disable();
  return delay.max / 1e6;
}

export const methods = {
  /** Builds the engine's data, or opens what was built. */
  async open(name: EngineName, material: Material, folder: string, isBuilt: boolean): Promise<Opened> {
    const read = await readQueries(material);
    queries = { ...read, vector: read.one };
    before = await readMemory([]);
    const corpus = openCorpus(material);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    engine = await engines[name]({ corpus, folder, isBuilt, onStored: () => delay.reset() });
    await ask('three', 0, null);
    const seconds = (performance.now() - began) / 1000;
    return { efforts: engine.efforts.map((effort) => effort.name), seconds, pause: await readPause(delay) };
  },

  use: async (effort: number): Promise<void> => engine?.efforts[effort]?.use(),

  async ask(kind: Kind, i: number, filter: Filter): Promise<{ ms: number; places: number[] }> {
    const began = performance.now();
    const places = await ask(kind, i, filter);
    return { ms: performance.now() - began, places };
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

import { toUnit } from '@media-search/search-engine/vectors';
import { describe, expect, test } from 'vitest';
import { createStageTimer } from '../platform/metrics/stage-timer.ts';
import { searchBackends, setUpSearch } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';

const dimensions = 64;

/** Uniform numbers in -1..1, the same in each run. */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/**
 * Vectors like those of a dual encoder: any two images have something in common, those of an event much more, and a copy in
 * another encoding or crop lies at a cosine of about 0.9, below what is usual for such models.
 */
function drawEvents(events: number, copies: number): Float32Array[] {
  const noise = createNoise(events);
  const draw = (scale: number) => Array.from({ length: dimensions }, () => scale * noise());
  const common = draw(0.6);
  return Array.from({ length: events }, () => {
    const event = draw(1).map((value, i) => value + (common[i] as number));
    return Array.from({ length: copies }, () => toUnit(event.map((value) => value + 0.4 * noise())));
  }).flat();
}

describe.each(searchBackends)('over %s', (backend) => {
  test.each([
    { events: 15, copies: 4, film: 0 },
    { events: 8, copies: 4, film: 0 },
    { events: 40, copies: 5, film: 0 },
    // One item with many similar chunks says nothing about the similarity of other items.
    { events: 15, copies: 4, film: 60 },
  ])(
    'of $events events with $copies copies each, beside a film of $film chunks, every event is shown once',
    async (of) => {
      const { events, copies, film } = of;
      await using t = await setUpSearch(backend);
      const { db } = t;
      const id = await t.addWorkspace('Test');
      const embedder: QueryEmbedder = {
        id: 'dual@1',
        kind: 'semantic',
        dimensions,
        maxPhotoSide: 224,
        cropCount: 5,
        reference: { kind: 'descriptors', id: 'dual@1', dimensions },
        spread: 0.06,
        mean: null,
        weakBelow: 2,
        chanceMargins: null,
        hasMeasuredThresholds: false,
        samplesChance: false,
        hears: false,
        composes: false,
        shorterDimensions: [],
        vocabulary: null,
        contentDimensions: null,
        needsTextProcess: false,
        recognisesThings: false,
        duplicateThresholds: { copy: 0.95, continuation: 0.9 },
        embedText: () => Promise.resolve({ vector: null, unknown: [] }),
        embedSentence: () => Promise.resolve(null),
      };
      const vectors = drawEvents(events, copies);
      const numbers = await seedChunks(db, id, embedder.id, { count: vectors.length, perItem: 1 }, (place) => ({
        vector: vectors[place] as Float32Array,
      }));
      const [scene = new Float32Array()] = drawEvents(events + 1, 1).slice(-1);
      const noise = createNoise(film);
      await seedChunks(db, id, embedder.id, { count: film, perItem: film }, () => ({
        vector: toUnit(Array.from(scene, (value) => value + 0.08 * noise())),
      }));
      const eventOf = new Map(numbers.map((number, place) => [number, Math.floor(place / copies)]));
      const engine = t.startEngine(() => embedder);
      const options = { dedupe: true, timer: createStageTimer() };
      const found = await engine.searchByVector(
        id,
        { vector: vectors[0] as Float32Array, embedder },
        {},
        { ...options, count: events + film },
      );
      const hits = found?.filter(({ chunk }) => eventOf.has(chunk.number));
      expect(hits?.map(({ chunk }) => eventOf.get(chunk.number)).toSorted((a = 0, b = 0) => a - b)).toEqual(
        Array.from({ length: events }, (_, i) => i),
      );
      for (const { chunk, duplicates = [] } of hits ?? []) {
        expect(duplicates.map(({ number }) => eventOf.get(number))).toEqual(
          Array<number | undefined>(copies - 1).fill(eventOf.get(chunk.number)),
        );
      }
    },
  );
});

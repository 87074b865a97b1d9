import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { queryEmbedderOf } from '../testing/query-embedder.ts';
import { searchBackends, searchOptions, setUpSearch } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import type { SearchEngine } from './search-engine.ts';

/** Misreadings of words ("South", "pharmacy", "heard"), a word with a typing error of its own, and names. */
const texts = ['scuth', 'piarmacy', 'hard rain', 'pelican', 'guitrá concert', 'Zidanne', 'bycicle shop', 'basketballs'];

describe.each(searchBackends)('over %s', (backend) => {
  let t: Awaited<ReturnType<typeof setUpSearch>>;
  let engine: SearchEngine;
  let workspaceId = '';
  /** What was embedded. */
  let embedded: string[] = [];

  beforeAll(async () => {
    t = await setUpSearch(backend);
    workspaceId = await t.addWorkspace('Signs');
    const random = createRandom(3);
    const embedder = queryEmbedderOf('text@1', 16, (text) => {
      embedded.push(text);
      return Promise.resolve({ vector: drawVector(createRandom(text.length), 16), unknown: [] });
    });
    await seedChunks(t.db, workspaceId, embedder.id, { count: texts.length, perItem: 1 }, (place) => ({
      vector: drawVector(random, 16),
      text: texts[place] ?? '',
    }));
    engine = t.startEngine(() => embedder);
  });

  afterAll(() => t[Symbol.asyncDispose]());

  async function find(query: string, options: { asWritten?: boolean; places?: ['visual'] } = {}) {
    embedded = [];
    const { hits, corrections } = await engine.searchByText(
      workspaceId,
      query,
      {},
      { ...searchOptions(20), ...options },
    );
    const found = hits.flatMap(({ signals }) => (signals.matches ?? []).flatMap(({ excerpt }) => excerpt));
    const words = found.filter(({ matched }) => matched).map(({ text }) => text);
    return { embedded, words, corrections: corrections.map(({ from, to }) => `${from} > ${to}`) };
  }

  test('a typing error is corrected, and what is meant is embedded as well', async () => {
    expect(await find('a brown Hrose jumps')).toEqual({
      embedded: ['a brown Hrose jumps', 'a brown horse jumps'],
      words: [],
      corrections: ['Hrose > horse'],
    });
    expect((await find('hrose and hrose', { places: ['visual'] })).embedded).toEqual(['horse and horse']);
  });

  test('and texts are searched for the same word', async () => {
    expect(await find('pelicna')).toEqual({
      embedded: ['pelicna', 'pelican'],
      words: ['pelican'],
      corrections: ['pelicna > pelican'],
    });
  });

  test('an English word that a text holds goes before a more frequent one', async () => {
    // “basketball” is as near, and in the embedder's vocabulary.
    expect((await find('baskettballs')).corrections).toEqual(['baskettballs > basketballs']);
  });

  test.each(['South', 'pharmacy', 'heard'])('%s is never taken for a misreading', async (word) => {
    expect(await find(word)).toEqual({ embedded: [word], words: [], corrections: [] });
  });

  test.each(['sooth sayar', 'scouth'])('nor is what is meant to be such a word: %s', async (query) => {
    expect((await find(query)).words).not.toContain('scuth');
  });

  test.each(['guitra', 'Zidanne', 'bycicle', 'guitrá'])('%s stays, because a text holds it', async (word) => {
    const found = await find(word);
    expect(found).toMatchObject({ embedded: [word], corrections: [] });
    expect(found.words).toHaveLength(1);
  });

  test.each(['koira', 'lentokone', 'собака', '강아지'])(
    '%s stays, because it is a word of another language',
    async (word) => {
      expect(await find(word)).toEqual({ embedded: [word], words: [], corrections: [] });
    },
  );

  test('what no dictionary holds is corrected by texts alone, as before', async () => {
    expect(await find('Zidannez')).toEqual({
      embedded: ['Zidannez'],
      words: ['Zidanne'],
      corrections: ['Zidannez > zidanne'],
    });
  });

  test('nothing is corrected in a phrase, nor where the words are searched for as they are written', async () => {
    expect(await find('"hrose pelicna"')).toMatchObject({ embedded: ['hrose pelicna'], corrections: [] });
    expect(await find('hrose pelicna', { asWritten: true })).toEqual({
      embedded: ['hrose pelicna'],
      words: [],
      corrections: [],
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searchBackends, setUpSearch, setUpTextSearch } from '../testing/search-setup.ts';

/** Misreadings of words ("South", "pharmacy", "heard"), a word with a typing error of its own, and names. */
const texts = ['scuth', 'piarmacy', 'hard rain', 'pelican', 'guitrá concert', 'Zidanne', 'bycicle shop', 'basketballs'];

describe.each(searchBackends)('over %s', (backend) => {
  let t: Awaited<ReturnType<typeof setUpSearch>>;
  let search: Awaited<ReturnType<typeof setUpTextSearch>>;

  beforeAll(async () => {
    t = await setUpSearch(backend);
    search = await setUpTextSearch(t, texts, 3);
  });

  afterAll(() => t[Symbol.asyncDispose]());

  async function find(query: string, options?: Parameters<typeof search>[1]) {
    const { embedded, words, corrections } = await search(query, options);
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

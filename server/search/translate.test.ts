import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { searchBackends, setUpSearch, setUpTextSearch } from '../testing/search-setup.ts';

/** What a search in another language finds in texts of that language and of English, and what it embeds. */

const texts = [
  'Der Hund schläft',
  'Viele Hunde bellen',
  'the dog sleeps',
  'Die Hundertschaft wartet',
  'quatre chevaux blancs',
  'un cheval noir',
  'widziała koty na płocie',
  'a heel of bread',
];

describe.each(searchBackends)('over %s', (backend) => {
  let t: Awaited<ReturnType<typeof setUpSearch>>;
  let search: Awaited<ReturnType<typeof setUpTextSearch>>;

  beforeAll(async () => {
    t = await setUpSearch(backend);
    search = await setUpTextSearch(t, texts, 5, 'builtin');
  });

  afterAll(() => t[Symbol.asyncDispose]());

  async function find(query: string, asWritten = false) {
    const { embedded, words, unknown, text, translated } = await search(query, { asWritten });
    return {
      embedded,
      words,
      unknown,
      excluded: text.excluded,
      translated: translated.map(({ from, to }) => `${from} > ${to}`),
    };
  }

  test('the image is searched by the English word, texts by the word in all its forms and by the English one, in this order', async () => {
    const { words, ...rest } = await find('Hund');
    expect(rest).toEqual({ embedded: ['dog'], unknown: [], excluded: [], translated: ['Hund > dog'] });
    expect(words[0]).toBe('Hund');
    // “Hund” may be the beginning of a word that is being typed, too.
    expect(words.toSorted()).toEqual(['Hund', 'Hunde', 'Hundertschaft', 'dog']);
    const inSentence = (await find('Hund im Schnee')).words.filter((word) => !/schnee/i.test(word));
    expect(inSentence.toSorted()).toEqual(['Hund', 'Hunde', 'dog']);
  });

  test('forms are found whose endings the English stems do not know', async () => {
    expect((await find('chevaux')).words.toSorted()).toEqual(['cheval', 'chevaux']);
    expect((await find('kot na płocie')).words).toContain('koty');
  });

  test('a word in quotation marks, and words that are wanted as they are written, stay', async () => {
    for (const found of [await find('"Hund"'), await find('Hund', true)]) {
      expect(found).toMatchObject({ embedded: ['Hund'], translated: [] });
      expect(found.words).toContain('Hund');
      expect(found.words).not.toContain('dog');
    }
  });

  test('“without” of another language excludes what follows it, in both languages', async () => {
    expect(await find('chevaux sans arbres')).toMatchObject({
      embedded: ['horse', 'tree'],
      excluded: ['arbres', 'tree'],
    });
  });

  test('what is not understood is named, and its picture is not guessed', async () => {
    expect(await find('Hund mit Flixbumsel')).toMatchObject({ embedded: ['dog with'], unknown: ['Flixbumsel'] });
    expect(await find('koira')).toMatchObject({ embedded: [], unknown: ['koira'], translated: [] });
  });

  test('English stays English', async () => {
    expect(await find('a heel of bread')).toMatchObject({ embedded: ['a heel of bread'], translated: [], unknown: [] });
  });
});

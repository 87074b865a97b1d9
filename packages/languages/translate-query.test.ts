import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import { describe, expect, test } from 'vitest';
import { readLexicon } from './lexicon.ts';
import { translateQuery } from './translate-query.ts';

const lexicon = await readLexicon();
/** As the word lists have it: of these words none is English. */
const foreignWords = new Set(['koira', 'hästar', 'lentokone', 'flixbumsel']);
const translate = (query: string) =>
  translateQuery(lexicon, parseTextQuery(query), query, (word) => foreignWords.has(word));

test.each([
  ['Elefanten', 'elephant'],
  ['Mann mit Hut', 'man with hat'],
  ['ein rotes Kleid', 'red dress'],
  ['Kinder bauen eine Sandburg', 'children building sand castle'],
  ['rotes Auto', 'red car'],
  ['coche rojo', 'red car'],
  ['mujer bebiendo café', 'woman drinking coffee'],
  ['un canard sur l’eau', 'duck on water'],
  ['machine à écrire', 'typewriter'],
  ['ponte sul fiume', 'bridge on river'],
  ['pão com queijo', 'bread with cheese'],
  ['olifanten', 'elephant'],
  ['brug over de rivier', 'bridge over river'],
  ['mężczyzna w kapeluszu', 'man in hat'],
  ['most nad rzeką', 'bridge over river'],
  ['赤い車', 'red car'],
  ['笑っている子供', 'laughing child'],
  ['红色汽车', 'red car'],
  ['圖書館', 'library'],
  ['नदी पर पुल', 'bridge on river'],
  ['लाल कार', 'red car'],
])('%s: %s', (query, english) => {
  const { text, unknown } = translate(query);
  expect(text.visualText).toBe(english);
  expect(unknown).toEqual([]);
});

test('compounds of German and Dutch are taken apart', () => {
  expect(translate('Hochzeitstorte').text.visualText).toBe('wedding cake');
  expect(translate('Kaffeetasse').text.visualText).toBe('coffee cup');
  expect(translate('strandhuis').text.visualText).toBe('beach house');
});

test('upper and lower case, and diacritics that were left out, make no difference', () => {
  for (const query of ['LÖWE IM GRAS', 'löwe im gras']) expect(translate(query).text.visualText).toBe('lion in grass');
  expect(translate('elephants dans la riviere').text.visualText).toBe('elephant in river');
});

test('an article beside a word of its language decides, where English knows the word as well', () => {
  const expected = {
    'un cane': 'dog',
    'des chats': 'cat',
    'il cane': 'dog',
    'das Boot': 'boat',
    'am Strand': 'on beach',
  };
  for (const [query, english] of Object.entries(expected)) expect(translate(query).text.visualText).toBe(english);
});

test('a word that two languages have in common, and English hardly uses, is theirs', () => {
  expect(translate('Strand').text.visualText).toBe('beach');
});

test.each([
  ['chiens', 'dog'],
  ['fiori', 'flower'],
  ['gatos', 'cat'],
  ['laghi', 'lake'],
  ['Schlösser', 'castle'],
  ['Vögel', 'bird'],
  ['brieven', 'letter'],
  // A common word is none's plural: “fil” is a thread.
  ['mon fils', 'son'],
])('%s: a plural means what its singular does', (query, english) => {
  expect(translate(query).text.visualText).toBe(english);
});

test.each([
  ['couchers de soleil', 'sunset'],
  ['pores do sol', 'sunset'],
  ['puestas de sol', 'sunset'],
  ['sacs à dos', 'backpack'],
  ['latarnie morskie', 'lighthouse'],
])('%s: fixed expressions are found in their plural', (query, english) => {
  expect(translate(query).text.visualText).toBe(english);
});

describe('what is English', () => {
  test.each(
    (
      'a dog on the beach|die hard|gift shop|chat|pan|rot|kind|kind old man|pan with eggs|street art|burger|taco stand|kimono|sauna|las vegas|costa rica|' +
      'los angeles skyline|san francisco bridge|volkswagen|zidane|selfie stick|baguette|man in Paris|the Lentokone tower|' +
      'la paz|des moines skyline|la la land|la fashion week|LA skyline|UN soldiers|el nino|al dente|au pair|hut|mare|wand|pies'
    ).split('|'),
  )('%s stays as it is', (query) => {
    expect(translate(query)).toEqual({ text: parseTextQuery(query), translated: [], unknown: [] });
  });

  test('words of another script in it are named', () => {
    expect(translate('a dog called собака')).toMatchObject({
      unknown: ['собака'],
      text: { visualText: 'a dog called' },
    });
  });

  test('in a query of another language such a word is one of that language', () => {
    expect(translate('das Kind mit dem Gift').text.visualText).toBe('child with poison');
    expect(translate('le chat dort').translated).toContainEqual({ from: 'chat', to: 'cat' });
  });
});

test('says what was understood, each word once', () => {
  expect(translate('Hund und Hund im Schnee').translated).toEqual([
    { from: 'Hund', to: 'dog' },
    { from: 'Schnee', to: 'snow' },
  ]);
  // A word that is the same in English was not translated.
  expect(translate('ein Hotel im Schnee').translated).toEqual([{ from: 'Schnee', to: 'snow' }]);
});

test('what is in quotation marks stays, and texts have to hold it', () => {
  const { text, translated } = translate('"hund" im Schnee');
  expect(translated).toEqual([{ from: 'Schnee', to: 'snow' }]);
  expect(text.visualText.split(' ')).toContain('hund');
  expect(text.phrases).toEqual(['hund']);
  expect(text.foreign?.others).not.toHaveProperty('hund');
});

test('texts are searched for the words as they were written, without those that only join others, and for the English ones', () => {
  const { text } = translate('Mann mit Hund');
  expect(text.terms).toEqual(['Mann', 'Hund']);
  expect(text.foreign?.language).toBe('de');
  expect(text.foreign?.others['Hund']).toContain('dog');
  // No typing errors, so nothing is corrected.
  expect(text.kept).toEqual(['Mann', 'Hund']);
});

test('“without” excludes the words behind it in both languages; images are compared with the English ones', () => {
  const { text } = translate('coche rojo sin personas en la playa');
  expect(text.visualText).toBe('red car in beach');
  expect(text.excluded).toEqual(['personas', 'people']);
  expect(text.foreign?.unseen).toEqual(['personas']);
  expect(translate('Haus -Baum').text.excluded).toEqual(['Baum', 'tree']);
});

describe('what is not known', () => {
  test('is named, and left to texts', () => {
    const { text, unknown } = translate('Hund mit Flixbumsel');
    expect(unknown).toEqual(['Flixbumsel']);
    expect(text.visualText).toBe('dog with');
    expect(text.terms).toEqual(['Hund', 'Flixbumsel']);
  });

  test.each([
    ['サバニと犬', 'サバニ', 'and dog'],
    ['花とてへぺろ', 'てへぺろ', 'flower and'],
    ['猫和饸饹', '饸饹', 'cat and'],
    ['吃螺蛳粉的人', '螺蛳粉', 'eating person'],
    ['pies z ustrojstwem', 'ustrojstwem', 'dog with'],
    ['Hund mit Besenkammerflixbumsel', 'Besenkammerflixbumsel', 'dog with'],
  ])('%s: is no word that shares a part with it', (query, word, english) => {
    const { text, unknown } = translate(query);
    expect(unknown).toEqual([word]);
    expect(text.visualText).toBe(english);
  });

  test.each(['サバニ', '旗袍', '螺蛳粉', 'köpek'])('%s is named as a whole', (word) => {
    expect(translate(word)).toMatchObject({ unknown: [word], text: { visualText: '' } });
  });

  test('single characters are words', () => {
    expect(translate('猫').text.visualText).toBe('cat');
    expect(translate('白马').text.visualText).toBe('white horse');
    expect(translate('花と犬').unknown).toEqual([]);
  });

  test.each(['koira', 'hästar', 'самокат', '비행기'])('%s as well, in a language that is not translated', (word) => {
    expect(translate(word)).toMatchObject({ unknown: [word], translated: [], text: { visualText: '', terms: [word] } });
  });

  test('stays where the encoder may know it', () => {
    const query = 'Hund mit Flixbumsel';
    const { text, unknown } = translateQuery(lexicon, parseTextQuery(query), query, null);
    expect(text.visualText).toBe('dog with Flixbumsel');
    expect(unknown).toEqual([]);
  });
});

test.each([
  '',
  ' ',
  '-',
  '"',
  '"" ""',
  '-"',
  'ohne',
  'ohne ohne',
  'の',
  '的的的',
  '\u0000',
  '🐶',
  '\u{1F1E9}',
  'a'.repeat(500),
  '犬'.repeat(500),
  'und '.repeat(125),
])('no query is an error: %j', (query) => {
  const started = performance.now();
  expect(() => translate(query)).not.toThrow();
  expect(performance.now() - started).toBeLessThan(5000);
});

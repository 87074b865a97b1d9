import { expect, test } from 'vitest';
import { fold } from './analyse-text.ts';
import { languages, stemIn } from './stems.ts';

test.each([
  ['de', 'Hund Hunde Hunden Hundes'],
  ['de', 'Straße Straßen'],
  ['es', 'perro perros perra'],
  ['fr', 'plage plages'],
  ['it', 'gatto gatti'],
  ['pt', 'flor flores'],
  ['nl', 'paard paarden'],
  ['pl', 'kot koty kotów kotem kotami'],
  ['pl', 'woda wody wodzie'],
  ['pl', 'dziewczynka dziewczynki dziewczynek'],
  ['hi', 'कुत्ता कुत्ते कुत्तों'],
  ['hi', 'फूल फूलों'],
] as const)('%s: %s are forms of one word', (language, words) => {
  expect(new Set(words.split(' ').map((word) => stemIn(language, fold(word)))).size).toBe(1);
});

test.each([
  ['de', 'Hund', 'Hundert'],
  ['fr', 'cheval', 'chemin'],
  ['pl', 'kot', 'kotlet'],
  ['hi', 'घर', 'घोड़ा'],
] as const)('%s: %s and %s are two', (language, a, b) => {
  expect(stemIn(language, fold(a))).not.toBe(stemIn(language, fold(b)));
});

test('a word never loses all of its letters', () => {
  for (const language of languages) {
    for (const word of ['a', 'o', 'el', 'ami', 'owi', 'ों', 'ते', '犬', '狗'])
      expect(stemIn(language, word), `${language} ${word}`).not.toBe('');
  }
});

import { describe, expect, test } from 'vitest';
import { readVocabulary } from '../../models/builtin/read-vocabulary.ts';
import { loadSpelling } from './spelling.ts';

const { isKnown, isStrange, findNear } = await loadSpelling(await readVocabulary());

test.each([
  ['guitra', 'guitar'],
  ['hrose', 'horse'],
  ['baskteball', 'basketball'],
  ['umbrela', 'umbrella'],
  ['elephan', 'elephant'],
  ['bicyclle', 'bicycle'],
  ['mountein', 'mountain'],
])('%s is near %s', (typed, meant) => {
  expect(isKnown(typed)).toBe(false);
  expect(findNear(typed)[0]).toBe(meant);
});

test('a misreading is near the word, and the word is near nothing', () => {
  for (const [read, written] of [
    ['scuth', 'south'],
    ['piarmacy', 'pharmacy'],
  ] as const) {
    expect(findNear(read)).toContain(written);
    expect(isKnown(written)).toBe(true);
    expect(findNear(written)).toEqual([]);
  }
});

describe('nothing is proposed for', () => {
  test.each([
    ['rare words of English', 'axolotl langur quokka snowboarder skateboarders trampolining archipelago'],
    ['German', 'katze fahrrad strasse garten musik guten flugzeug'],
    ['Spanish', 'perro gato guitarra bicicleta caballo coche zapatos'],
    ['French', 'chien cheval voiture chocolat animaux plage'],
    ['Italian, Dutch, Polish, Turkish', 'animale spiaggia paard hond kobieta samochod kitap gitar'],
    ['words that nobody knows', 'asdkjh qwlekj zzzzzz'],
    ['short words', 'hors cta dgo gitr'],
    ['words with digits or other letters', 'guitr4 guiträ гитара x2000'],
  ])('%s', (_, words) => {
    for (const word of words.split(' ')) expect(findNear(word), word).toEqual([]);
  });
});

test('a word that nobody knows is strange; names of things, words of other scripts and short ones are not', () => {
  for (const word of 'asdkjh qwlkej xqzt wmfkdlsa blorf da3a'.split(' ')) expect(isStrange(word), word).toBe(true);
  for (const word of 'dog axolotl katze guitarra hoverboard 2041 mp4 собака 犬 ist'.split(' ')) {
    expect(isStrange(word), word).toBe(false);
  }
});

import { expect, test } from 'vitest';
import { isPhantom, likelyLanguages, mainLanguage } from './transcribe-window.ts';

const guess = (languages: Record<string, number>) => ({ languages: new Map(Object.entries(languages)), noSpeech: 0 });

test('a sure window tells its language; an unsure one has that of the item, or one of the two likeliest', () => {
  expect(likelyLanguages(guess({ de: 0.8, en: 0.1, nl: 0.1 }), new Map([['en', 900]]))).toEqual(['de']);
  expect(likelyLanguages(guess({ cy: 0.4, en: 0.3, nl: 0.3 }), new Map([['en', 900]]))).toEqual(['en']);
  expect(likelyLanguages(guess({ cy: 0.4, en: 0.35, nl: 0.25 }), new Map())).toEqual(['cy', 'en']);
  // A window without words says nothing of the item.
  expect(likelyLanguages(guess({ cy: 0.4, en: 0.35, nl: 0.25 }), new Map([['la', 0]]))).toEqual(['cy', 'en']);
});

test.each([
  ['clear speech', -0.3, 0.1, false, false],
  ['clear speech that is taken for silence', -0.3, 0.7, false, false],
  ['fair text over what sounds like no speech', -0.8, 0.7, false, true],
  ['fair text over speech', -0.8, 0.3, false, false],
  ['fair text that went round in circles', -0.8, 0.1, true, true],
  ['guesses', -1.2, 0.1, false, true],
  ['what the model cannot compute', NaN, 0.1, false, true],
])('a text that was made up is refused: %s', (_, mean, noSpeech, looped, refused) => {
  // The end of the text does not count.
  const decoded = { tokens: [1, 2], logProbabilities: [mean, mean, -9], attention: [], looped };
  expect(isPhantom(decoded, { noSpeech })).toBe(refused);
});

test('the language of an item is that of most of its text', () => {
  const spoken = [
    ['en', 40],
    ['jw', 60],
  ] as const;
  expect(mainLanguage(new Map(spoken))).toBe('jv');
  expect(mainLanguage(new Map([['en', 0]]))).toBeNull();
});

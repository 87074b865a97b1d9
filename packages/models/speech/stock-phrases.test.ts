import { expect, test } from 'vitest';
import { isUnheardPhrase } from './doubt-text.ts';

/** A line whose words have one logarithm of a probability. */
const lineOf = (text: string, logProbability: number) =>
  text.split(' ').map((word, i) => ({ text: ` ${word}`, start: i, end: i + 1, logProbability }));

// Probabilities and lengths are those that Whisper tiny gave: what eSpeak NG says in 1.3 s, and 5 s of a language that the model does not know.
test.each([
  ['that is said', 'Thank you for watching.', -0.2, 1.4, false],
  ['that is said in noise', 'Thanks for watching.', -0.55, 1.2, false],
  ['that is said before music, clearly', 'Thank you for watching!', -0.2, 9, false],
  ['over another language', 'Thank you for watching!', -0.86, 4.7, true],
  ['over another language, short', 'Thank you very much.', -0.86, 1.5, true],
  ['fairly sure, for a long time', 'Thank you for watching!', -0.5, 9, true],
  ['in Japanese', 'ご視聴ありがとうございました', -0.83, 4.6, true],
  ['with an apostrophe', "I'm not sure if you can help me.", -0.7, 2.1, true],
  ['of those who made subtitles', 'Subtitles by the Amara.org community', -0.7, 2, true],
  ['in another sentence', 'I thank you for watching my dog.', -0.9, 5, false],
])('a stock phrase goes where little says that it was said: %s', (_, text, logProbability, seconds, isUnheard) => {
  expect(isUnheardPhrase(lineOf(text, logProbability), seconds)).toBe(isUnheard);
});

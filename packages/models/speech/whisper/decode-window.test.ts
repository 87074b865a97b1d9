import { expect, test } from 'vitest';
import { countRepeated, decodeWindow } from './decode-window.ts';
import type { EncodedSound, Whisper } from './load-whisper.ts';

test.each([
  ['nothing', [], 0],
  ['a sentence', [1, 2, 3, 4, 5, 6], 0],
  ['a word that is said twice', [1, 2, 2], 0],
  ['a phrase that is said twice', [1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 0],
  ['a phrase three times', [9, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 10],
  ['a word six times', [1, 7, 7, 7, 7, 7, 7], 5],
  ['two words six times', [3, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8], 10],
])('a loop of the decoder keeps its first round: %s', (_, tokens, repeated) => {
  expect(countRepeated(tokens)).toBe(repeated);
});

/** A decoder whose next token depends on the last one alone: 8 is the end, and what follows it steers. */
function tableSound(next: Record<number, Record<number, number>>): EncodedSound {
  let last = [0];
  return {
    restart: () => undefined,
    advance(tokens, parents) {
      // What is followed must be what was given before.
      for (const parent of parents) expect(parent).toBeLessThan(last.length);
      last = [...tokens];
      const steps = tokens.map((token) => {
        const logits = new Float32Array(14).fill(-20);
        for (const [to, probability] of Object.entries(next[token] ?? {})) logits[Number(to)] = Math.log(probability);
        return { logits, attention: [Float32Array.of(token)] };
      });
      return Promise.resolve(steps);
    },
  };
}

const special = {
  start: 9,
  end: 8,
  transcribe: 11,
  noTimestamps: 12,
  noSpeech: 13,
  languages: new Map([['en', 10]]),
  suppressed: [7],
  suppressedAtStart: [8],
};
const model = { tokens: special } as unknown as Whisper;

test('the text is taken that is most probable as a whole, not the one whose next token is', async () => {
  // After 1, the likeliest to begin with, nothing is likely; a suppressed token would be.
  const sound = tableSound({
    12: { 1: 0.5, 2: 0.4, 7: 0.1 },
    1: { 3: 0.2, 4: 0.2, 5: 0.2, 7: 0.4 },
    2: { 6: 0.95, 3: 0.05 },
    6: { 8: 0.95, 3: 0.05 },
  });
  const { tokens, logProbabilities, attention, looped } = await decodeWindow(model, sound, 'en');
  expect(tokens).toEqual([2, 6]);
  expect(logProbabilities).toHaveLength(3);
  expect(Math.exp(logProbabilities[1] as number)).toBeCloseTo(0.95, 2);
  // Where it looked when each token was chosen, of the same text.
  expect(attention.map(([head]) => head?.[0])).toEqual([12, 2, 6]);
  expect(looped).toBe(false);
});

test('a text that goes round in circles is its first round', async () => {
  const sound = tableSound({ 12: { 1: 0.99 }, 1: { 2: 0.99 }, 2: { 3: 0.99 }, 3: { 4: 0.99 }, 4: { 1: 0.99 } });
  const decoded = await decodeWindow(model, sound, 'en');
  expect(decoded).toMatchObject({ tokens: [1, 2, 3, 4], looped: true });
  expect(decoded.logProbabilities).toHaveLength(4);
  expect(decoded.attention).toHaveLength(5);
});

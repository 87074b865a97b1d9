import { expect, test } from 'vitest';
import { findSpokenLines } from './spoken-lines.ts';

test('of a chunk the spoken lines count that hold a term in any form, and no other texts', () => {
  const texts = [
    { source: 'speech', text: 'Elephants walk far.', track: null },
    { source: 'speech', text: 'They drink a lot.', track: null },
    { source: 'subtitle', text: 'The elephant sleeps.', track: 2 },
    { source: 'ocr', text: 'ELEPHANT', track: null },
  ] as const;
  const lines = findSpokenLines({ texts: [...texts], filename: 'elephant.mp4', tags: 'elephant' }, ['elephant']);
  expect([...lines]).toEqual(['Elephants walk far.', 'The elephant sleeps.']);
});

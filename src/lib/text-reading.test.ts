import { expect, test } from 'vitest';
import { describeReading } from './text-reading.ts';

const reading = { state: 'pending', progress: 0.4, language: null, model: null, message: null } as const;

test('a reading says how far it is, and nothing where there is nothing to read', () => {
  expect(describeReading(reading)).toBe('Being read · 40%');
  expect(describeReading({ ...reading, progress: 0 })).toBe('Waiting to be read');
  expect(describeReading({ ...reading, state: 'complete', language: 'pt-BR' })).toBe('Brazilian Portuguese');
  expect(describeReading({ ...reading, state: 'complete', language: 'not a tag' })).toBe('not a tag');
  expect(describeReading({ ...reading, state: 'complete' })).toBe('Read');
  const heard = { ...reading, state: 'complete', language: 'en', model: 'whisper-tiny' } as const;
  expect(describeReading(heard)).toBe('English, by Whisper tiny');
  expect(describeReading({ ...heard, language: null, model: 'pp-ocrv4' })).toBe('Read, by PP-OCRv4');
  expect(describeReading({ ...heard, model: 'my-model' })).toBe('English, by my-model');
  expect(describeReading({ ...reading, state: 'failed' })).toBe('Could not be read');
  expect(describeReading({ ...reading, state: 'none' })).toBeNull();
  expect(describeReading({ ...reading, state: 'off' })).toBeNull();
  expect(describeReading(undefined)).toBeNull();
});

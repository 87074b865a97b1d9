import { expect, test } from 'vitest';
import { describeError } from './describe-error.ts';

const refusal = (path: string, message: string) =>
  Object.assign(new Error(`The request is not valid: ${path} ${message}`), {
    code: 'validation_error',
    details: [{ path, message }],
  });

test.each([
  ['body.file', 'is empty', 'The file is empty.'],
  ['query.q', 'must have at most 500 characters', 'The search must have at most 500 characters.'],
  ['body.moments.3.start_time', 'must be a number', 'Start time must be a number.'],
  ['body.ids.0', 'must be an identifier (UUID)', 'Ids must be an identifier (UUID).'],
  ['body.url', 'cannot be reached. Is it public?', 'The address cannot be reached. Is it public?'],
])('says what is wrong with %s in a sentence', (path, message, sentence) => {
  expect(describeError(refusal(path, message))).toBe(sentence);
});

test('leaves what the service says in a sentence as it is', () => {
  const full = { code: 'quota_exceeded', details: [{ path: 'media_items', message: '0 of 0 used' }] };
  expect(describeError(Object.assign(new Error('The plan is full.'), full))).toBe('The plan is full.');
  expect(describeError(new Error('The plan Tiny allows 0 media items, and 0 are used.'))).toBe(
    'The plan Tiny allows 0 media items, and 0 are used.',
  );
  expect(describeError(Object.assign(new Error('No.'), { details: [] }))).toBe('No.');
});

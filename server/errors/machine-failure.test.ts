import { ModelError } from '@media-search/models/model-error';
import { expect, test } from 'vitest';
import { isMachineFailure } from './machine-failure.ts';

const coded = (code: string | number) => Object.assign(new Error('It failed.'), { code });

test.each([
  ['a model that cannot be used', new ModelError('The weights cannot be loaded.')],
  ['a full disk, as Node names it', coded('ENOSPC')],
  ['a full disk, as FFmpeg numbers it', coded(-28)],
  ['a disk that cannot be read, as Node names it', coded('EIO')],
  ['a full disk, in the words of libvips', new Error('write failed: No space left on device')],
  ['a decoder that is being replaced', coded('ERR_MODULE_NOT_FOUND')],
  ['a damaged catalog', coded('SQLITE_CORRUPT')],
  ['a database that is away', coded('57P01')],
  ['a bucket that is away', coded('ERR_STORAGE')],
  [
    'a cause further down',
    new Error('Indexing failed.', { cause: new Error('Decoding failed.', { cause: coded(-28) }) }),
  ],
])('%s is a failure of the machine', (_, error) => {
  expect(isMachineFailure(error)).toBe(true);
});

test.each([
  ['what FFmpeg says of a damaged file', coded(-5)],
  ['data that makes no sense', coded(-1094995529)],
  ['a file that asks for more memory than there is', coded(-12)],
  ['the same, as Node names it', coded('ENOMEM')],
  ['a file that is not there', coded('ENOENT')],
  ['an error without a code', new Error('The file is damaged.')],
  ['what is no error', 'ENOSPC'],
])('%s is not', (_, error) => {
  expect(isMachineFailure(error)).toBe(false);
});

import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { toStorageError } from '../http/errors/error-handler.ts';
import { isMachineFailure } from './machine-failure.ts';
import { toStartupError } from './startup-error.ts';

const withCode = (code: string | number) => Object.assign(new Error('it failed'), { code });

/** What a request is answered with, whether a job is blamed on the machine, and what a start that is refused says. */
test.each([
  ['ENOSPC', 'insufficient_storage', true, 'is full'],
  ['EDQUOT', 'insufficient_storage', true, 'is full'],
  ['SQLITE_FULL', 'insufficient_storage', true, 'is full'],
  ['EFBIG', 'insufficient_storage', false, undefined],
  ['EIO', 'unavailable', true, 'fails to read or write'],
  ['SQLITE_IOERR_WRITE', 'unavailable', true, 'fails to read or write'],
  ['EROFS', 'unavailable', true, 'cannot be written'],
  ['SQLITE_READONLY_DBMOVED', 'unavailable', true, 'cannot be opened and written'],
  ['SQLITE_CANTOPEN', 'unavailable', true, 'cannot be opened and written'],
  ['EMFILE', 'unavailable', true, 'too few files'],
  ['ENFILE', 'unavailable', true, 'too few files'],
  ['ENOMEM', 'unavailable', false, undefined],
  ['SQLITE_NOMEM', 'unavailable', true, undefined],
  ['SQLITE_BUSY_SNAPSHOT', 'unavailable', true, 'locked'],
  ['SQLITE_LOCKED', 'unavailable', true, 'locked'],
  ['SQLITE_CORRUPT_INDEX', undefined, true, 'is damaged'],
  ['SQLITE_NOTADB', undefined, true, 'is damaged'],
  ['EACCES', undefined, false, 'cannot be written'],
  ['ENOTDIR', undefined, false, 'cannot be written'],
  ['ENOENT', undefined, false, undefined],
  ['SQLITE_CONSTRAINT_UNIQUE', undefined, false, undefined],
  ['53100', 'insufficient_storage', true, 'is full'],
  ['53200', 'unavailable', true, undefined],
  ['53300', 'unavailable', true, 'cannot be reached'],
  ['08006', 'unavailable', true, 'cannot be reached'],
  ['57P01', 'unavailable', true, 'cannot be reached'],
  ['25006', 'unavailable', true, 'cannot be reached'],
  ['40P01', 'unavailable', true, 'locked'],
  ['ECONNREFUSED', 'unavailable', true, 'cannot be reached'],
  ['XX002', undefined, true, 'is damaged'],
  ['57014', undefined, false, undefined],
  ['23505', 'unavailable', false, undefined],
  ['22021', undefined, false, undefined],
])('%s means the same for requests, jobs and starts', (code, answer, isMachine, sentence) => {
  const error = withCode(code);
  expect(toStorageError(error)?.code).toBe(answer);
  expect(isMachineFailure(error)).toBe(isMachine);
  expect(isMachineFailure(new Error('indexing broke off', { cause: error }))).toBe(isMachine);
  const startupError = toStartupError(error, '/');
  if (sentence === undefined) expect(startupError).toBeUndefined();
  else expect(startupError?.message).toContain(sentence);
});

test("FFmpeg's error numbers name failures of the machine, but EIO and ENOMEM are those of a damaged file", () => {
  for (const name of ['ENOSPC', 'EROFS', 'EMFILE'] as const) {
    expect(isMachineFailure(withCode(-constants.errno[name])), name).toBe(true);
  }
  for (const name of ['EIO', 'ENOMEM', 'EINVAL'] as const) {
    expect(isMachineFailure(withCode(-constants.errno[name])), name).toBe(false);
  }
});

test('a client that breaks off its request is no failure of the machine', () => {
  expect(toStorageError(withCode('ECONNRESET'))).toBeUndefined();
  expect(toStorageError(Object.assign(withCode('ECONNRESET'), { syscall: 'read' }))?.code).toBe('unavailable');
});

test.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])(
  'the driver says without a code that a database is away: %s',
  (message) => {
    expect(toStorageError(new Error(message))?.code).toBe('unavailable');
    expect(isMachineFailure(new Error('indexing broke off', { cause: new Error(message) }))).toBe(true);
  },
);

import { expect, test } from 'vitest';
import { findCommand } from './commands.ts';

test.each([
  ['key', true],
  ['key Newsroom', true],
  ['key Newsroom more', false],
  ['plan list', true],
  ['plan list more', false],
  ['plan set', false],
  ['plan set starter', true],
  ['plan assign starter', true],
  ['plan assign starter Newsroom', true],
  ['plan', false],
  ['source list', true],
  ['source list Newsroom', false],
  ['source add', false],
  ['source add /mnt/nas', true],
  ['source remove', false],
  ['source remove NAS', true],
  ['text read', false],
  ['text read ocr', true],
  ['text read speech Newsroom', true],
  ['lost-found restore', false],
  ['secret replace', true],
  ['check', true],
  ['check more', false],
  ['backup', false],
  ['backup folder', true],
  ['constructor', false],
  ['', false],
])('whether there is a command "%s": %s', (line, isCommand) => {
  expect(findCommand(line === '' ? [] : line.split(' ')) !== undefined).toBe(isCommand);
});

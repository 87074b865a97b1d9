import { expect, test } from 'vitest';
import { repairLookalikes } from './read-lines.ts';

test('characters that look like another are corrected in words, and left alone in numbers and codes', () => {
  expect(repairLookalikes('17 0ver the ro0m')).toBe('17 Over the room');
  expect(repairLookalikes('DESlGN STUDl0')).toBe('DESIGN STUDIO');
  expect(repairLookalikes('Hello all')).toBe('Hello all');
  for (const code of ['2000', 'A0B', 'AB12C00D', 'X100', '10:00']) expect(repairLookalikes(code)).toBe(code);
});

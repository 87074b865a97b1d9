import { expect, test } from 'vitest';
import { count, formatBytes, formatTime } from './format.ts';

test('times carry over into minutes and hours', () => {
  expect([0, 12.5, 59.96, 3599.99, 3723.4].map(formatTime)).toEqual([
    '0:00.0',
    '0:12.5',
    '1:00.0',
    '1:00:00.0',
    '1:02:03.4',
  ]);
});

test('bytes have three digits', () => {
  expect([0, 999, 18_273_645, 999_999, 20 * 2 ** 30].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '18.3 MB',
    '1.00 MB',
    '21.5 GB',
  ]);
  expect([count(1, 'file'), count(2, 'file'), count(0, 'copy', 'copies')]).toEqual(['1 file', '2 files', '0 copies']);
});

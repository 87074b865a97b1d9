import { expect, test } from 'vitest';
import { readSavedQuery } from './saved-query.ts';

test.each([
  ['2026-07-14', '2026-07-15'],
  ['2028-02-28', '2028-02-29'],
  ['9998-12-31', '9999-01-01'],
  // The day after it cannot be written, and the dashboard leaves it out.
  ['9999-12-31', undefined],
])('the last day that counts is %s, so what was recorded from %s on does not', (to, taken_before) => {
  const query = readSavedQuery({ page: 'search', parameters: { q: 'red', to } });
  expect(query?.filter.taken_before).toBe(taken_before);
});

import { expect, test } from 'vitest';
import { describeConditions } from './conditions.ts';

test('says what the words of a search were taken for', () => {
  const place = { start: 0, end: 1, parameters: {} };
  expect(
    describeConditions([
      { ...place, text: 'by Ana', field: 'creator_id', certain: true },
      { ...place, text: 'last May', field: 'taken_at', certain: true },
      { ...place, text: 'red', field: 'tag_ids', certain: false },
    ]),
  ).toBe('Filtered by creator (“by Ana”), date taken (“last May”). Preferred by tag (“red”).');
  expect(describeConditions([{ ...place, text: 'says hello', field: 'said', certain: true }])).toBe(
    'Filtered by said (“says hello”).',
  );
  expect(describeConditions([])).toBeNull();
  expect(describeConditions(undefined)).toBeNull();
});

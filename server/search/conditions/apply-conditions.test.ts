import { describe as group, expect, test } from 'vitest';
import type { SearchPlace } from '../../../contract/search.ts';
import { applyConditions } from './apply-conditions.ts';

const apply = (sentence: string, places?: SearchPlace[]) =>
  applyConditions(sentence, {
    filter: {},
    places,
    asWords: [],
    names: [],
    now: new Date('2026-06-17T12:00:00Z'),
    zone: 'UTC',
  });

test('what is said is looked for in subtitles too', () => {
  const { words, places, pictured, conditions } = apply('a woman says hello');
  expect({ words, places, pictured }).toEqual({ words: 'hello', places: ['speech', 'subtitle'], pictured: 'a woman' });
  expect(conditions).toMatchObject([{ field: 'said', parameters: { in: 'speech', words: 'hello' } }]);
});

test('what is shown is looked for in letters', () => {
  expect(apply('shows the word stop')).toMatchObject({ words: 'stop', places: ['ocr'] });
});

group('in the places of the request', () => {
  test.each<[string, SearchPlace, string]>([
    ['said hello', 'speech', 'hello'],
    ['said hello', 'visual', 'hello'],
    ['said "good day"', 'speech', '"good day"'],
    ['a woman says hello', 'subtitle', 'hello a woman'],
    ['shows the word stop', 'ocr', 'stop'],
    ['ideally someone says hello', 'speech', 'ideally someone says hello'],
  ])('“%s” in %s looks for “%s”', (sentence, place, words) => {
    const query = apply(sentence, [place]);
    expect(query).toMatchObject({ words, places: [place], conditions: [] });
    expect(query).not.toHaveProperty('pictured');
  });

  test('other conditions are filters as ever', () => {
    const query = apply('clips where someone says hello in 2025', ['speech']);
    expect(query).toMatchObject({ words: 'hello', filter: { type: 'video', taken_after: '2025-01-01' } });
  });
});

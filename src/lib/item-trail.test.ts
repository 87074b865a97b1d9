import { expect, test } from 'vitest';
import { readTrail, trailOfHits, trailState } from './item-trail.ts';

test('the hits of an item are one step of a trail, at the moment of the best one', () => {
  const trail = trailOfHits('/search?q=red', [
    { id: 'a', type: 'video', start: 4 },
    { id: 'b', type: 'image', start: 0 },
    { id: 'a', type: 'video', start: 1 },
  ]);
  expect(trail).toEqual({ from: '/search?q=red', items: [{ id: 'a', t: 4 }, { id: 'b' }] });
  expect(readTrail(structuredClone(trailState(trail)))).toEqual(trail);
});

test('an item that was not reached from a list has no trail', () => {
  expect([null, undefined, {}, { from: '/' }, 'trail'].map(readTrail)).toEqual(Array(5).fill(null));
});

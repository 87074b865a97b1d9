import { expect, test } from 'vitest';
import type { AskedThing } from './asked-things.ts';
import type { FrameThings, SeenObject } from './frame-things.ts';
import { thingEvidence } from './thing-evidence.ts';

const asked = (more: Partial<AskedThing> = {}): AskedThing => ({
  name: 'dogs',
  objects: [17],
  within: [],
  classes: new Set([200, 201]),
  isComplete: true,
  count: null,
  colour: null,
  ...more,
});
const box = { top: 0, left: 0, bottom: 1, right: 1 };
const object = (kind: number, score: number, colours: SeenObject['colours'] = []): SeenObject => ({
  kind,
  score,
  box,
  colours,
});
const frame = (objects: SeenObject[], classes: FrameThings['classes'] = []): FrameThings => ({ objects, classes });
const dogs = (...scores: number[]) => frame(scores.map((score) => object(17, score)));

test('a thing is present by its object, by its classes together, and more surely by both', () => {
  const present = (seen: FrameThings) => thingEvidence(asked(), [seen]).present;
  expect(present(frame([object(3, 0.9)], [{ number: 5, probability: 0.9 }]))).toBe(0);
  expect(present(dogs(0.6))).toBeCloseTo(0.6);
  const breeds = [200, 201].map((number) => ({ number, probability: 0.25 }));
  expect(present(frame([], breeds))).toBeCloseTo(0.5);
  expect(present(frame([object(17, 0.6)], breeds))).toBeCloseTo(0.8);
});

test('the wider kind is enough only where a thing has no name of its own', () => {
  const puppy = asked({ objects: [], within: [17], classes: new Set() });
  expect(thingEvidence(puppy, [dogs(0.7)]).present).toBeCloseTo(0.7);
  const collie = asked({ objects: [], within: [17], classes: new Set([231]) });
  expect(thingEvidence(collie, [dogs(0.7)]).present).toBe(0);
});

test('the number that is there fits best', () => {
  const fits = (count: number, ...scores: number[]) => thingEvidence(asked({ count }), [dogs(...scores)]).fits ?? -1;
  const two = [1, 2, 3].map((count) => fits(count, 0.9, 0.85));
  expect(Math.max(...two)).toBe(two[1]);
  expect(fits(2, 0.9, 0.85)).toBeGreaterThan(0.9);
  expect(fits(2, 0.9)).toBe(0);
  // One that is hardly seen makes it less sure.
  expect(fits(2, 0.9, 0.85, 0.35)).toBeCloseTo(0.5, 1);
  expect(thingEvidence(asked({ count: 2 }), [frame([object(2, 0.9)])]).fits).toBeNull();
  expect(thingEvidence(asked(), [dogs(0.9)]).fits).toBeNull();
});

test('the colour must be that of the thing, and is counted with its number', () => {
  const seen = frame([object(17, 0.8, ['black']), object(17, 0.4, ['white']), object(2, 0.9, ['red'])]);
  const fits = (more: Partial<AskedThing>) => thingEvidence(asked(more), [seen]).fits;
  expect(fits({ colour: 'black' })).toBe(1);
  expect(fits({ colour: 'white' })).toBeCloseTo(0.5);
  expect(fits({ colour: 'red' })).toBe(0);
  expect(fits({ colour: 'black', count: 2 })).toBe(0);
});

test('of several frames the one counts that says most; of none nothing is seen', () => {
  expect(thingEvidence(asked({ count: 2 }), [dogs(0.9), dogs(0.9, 0.9)]).fits).toBeGreaterThan(0.9);
  expect(thingEvidence(asked(), [])).toEqual({ present: 0, fits: null });
});

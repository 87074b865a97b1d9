import { beforeAll, expect, test } from 'vitest';
import { type AskedThing, loadThingWords } from './asked-things.ts';

let read: (query: string) => AskedThing[];
beforeAll(async () => {
  read = await loadThingWords();
});
const told = (query: string) => read(query).map(({ name, count, colour }) => [name, count, colour]);
const [person, car, dog] = [0, 2, 17];

test.for<[string, ...[string, number | null, string | null][]]>([
  ['two dogs', ['dogs', 2, null]],
  ['a red car', ['car', null, 'red']],
  ['3 black dogs and a crimson car', ['dogs', 3, 'black'], ['car', null, 'red']],
  ['a pair of small dogs', ['dogs', 2, null]],
  ['two men walk a dog', ['men', 2, null], ['dog', null, null]],
  // What is between a number and a name says whose number it is.
  ['two days with a dog', ['dog', null, null]],
  ['a German shepherd', ['german shepherd', null, null]],
  ['two hot-air balloons', ['hot air balloons', 2, null]],
  // A fruit by itself, a colour before another name.
  ['an orange', ['orange', null, null]],
  ['an orange cat', ['cat', null, 'orange']],
  ['Ponies, knives', ['ponies', null, null], ['knives', null, null]],
])('“%s” asks for its things with their numbers and colours', ([query, ...things]) => {
  expect(told(query)).toEqual(things);
});

test.for(['', 'sunset at the sea', 'constructor', 'toString __proto__', '🐶', 'x'.repeat(500)])(
  'no thing is read in “%s”',
  (query) => expect(read(query)).toEqual([]),
);

test('a name means objects and classes that are such a thing, and the objects that it is a kind of', () => {
  const one = (query: string) => read(query)[0] as AskedThing;
  expect(one('dog').objects).toEqual([dog]);
  expect(one('dog').classes.size).toBeGreaterThan(100);
  expect(one('german shepherd')).toMatchObject({ objects: [], within: [dog], isComplete: true });
  expect(one('german shepherd').classes.size).toBe(1);
  expect(one('animal').objects).toContain(dog);
  expect(one('animal').objects).not.toContain(car);
  expect(one('man')).toMatchObject({ objects: [], within: [person] });
  // Few kinds of buildings have a class: a lack of them says nothing.
  expect(one('building').isComplete).toBe(false);
  expect(one('zebra').isComplete).toBe(true);
  // What people wear is seldom recognised, even where captions name it.
  expect(one('jersey').isComplete).toBe(false);
});

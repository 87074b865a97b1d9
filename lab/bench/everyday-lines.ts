import { createRandom } from './vectors.ts';

/** What people say every day, made from parts: lines among which others have to be found. */

const people = [
  'my neighbour',
  'the teacher',
  'our guide',
  'the captain',
  'a young woman',
  'the farmer',
  'my cousin',
  'the engineer',
  'an old friend',
  'the pilot',
  'the mayor',
  'her assistant',
  'the gardener',
  'a tourist',
  'the actor',
  'our coach',
];
const things = [
  'the wooden table',
  'a box of letters',
  'the blue bicycle',
  'an umbrella',
  'the engine',
  'a bowl of soup',
  'the broken radio',
  'some old maps',
  'the leather jacket',
  'a basket of apples',
  'the tickets',
  'a stack of books',
  'the curtains',
  'a map of the valley',
  'the satellite dish',
  'a bag of cement',
  'the violin',
  'an ancient coin',
];
const acts = [
  'carried',
  'repaired',
  'bought',
  'sold',
  'painted',
  'found',
  'showed us',
  'described',
  'cleaned',
  'moved',
  'photographed',
  'borrowed',
  'measured',
  'ordered',
  'wrapped up',
  'forgot about',
];
const places = [
  'behind the station',
  'near the old bridge',
  'in the market hall',
  'at the edge of the village',
  'on the ferry',
  'in a small workshop',
  'at the airport',
  'under the apple trees',
  'in the library',
  'across the square',
  'at the harbour',
  'in the basement',
  'beside the lighthouse',
  'outside the theatre',
];
const times = [
  'yesterday',
  'last week',
  'on Monday morning',
  'two years ago',
  'just before lunch',
  'late in the evening',
  'during the holidays',
  'in spring',
  'after the concert',
  'when it rained',
];
const subjects = [
  'the bridge',
  'this recipe',
  'the museum',
  'our new office',
  'the second chapter',
  'that machine',
  'the bus timetable',
  'the garden',
  'their website',
  'the white sauce',
  'the lake',
  'this tool',
  'the northern road',
  'the printer',
];
const qualities = [
  'quite popular with visitors',
  'about three hundred years old',
  'harder to use than it looks',
  'open until six in the afternoon',
  'made of stone and steel',
  'smaller than I remembered',
  'worth the long way',
  'named after a king',
  'ready for the next season',
  'a little too bright for me',
  'built by volunteers',
  'the best in the region',
];

const forms: ((pick: (list: readonly string[]) => string) => string)[] = [
  (pick) => `${pick(people)} ${pick(acts)} ${pick(things)} ${pick(places)}`,
  (pick) => `${pick(times)} ${pick(people)} ${pick(acts)} ${pick(things)}`,
  (pick) => `${pick(subjects)} is ${pick(qualities)}`,
  (pick) => `I think ${pick(subjects)} was ${pick(qualities)}`,
  (pick) => `could you ask ${pick(people)} to leave ${pick(things)} ${pick(places)}`,
  (pick) => `${pick(people)} told me that ${pick(subjects)} is ${pick(qualities)}`,
  (pick) => `we met ${pick(people)} ${pick(places)} ${pick(times)}`,
  (pick) => `as you can see here, ${pick(people)} ${pick(acts)} ${pick(things)}`,
];

/** So many different lines, always the same. */
export function everydayLines(count: number): string[] {
  const lines = new Set<string>();
  for (let i = 0; lines.size < count; i++) {
    const random = createRandom('text', i);
    const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
    const line = pick(forms)(pick);
    lines.add(`${line[0]?.toUpperCase()}${line.slice(1)}.`);
  }
  return [...lines];
}

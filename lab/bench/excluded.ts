import { parseArgs } from 'node:util';
import { mean } from '@media-search/search-engine/vectors';
import { type CaptionedPart, openCaptioned, readMentioned } from './captioned.ts';
import { expectQuality } from './expected-quality.ts';

/**
 * How often the first ten hits show what a search excludes, through the API, in each way to say it: "snow -dog", "snow without a dog", the parameter. Photographs show
 * a thing where one of their five captions mentions it. Exits 1 where an excluded thing is in more than a tenth of the first ten (of expressions 0.12)
 * of the report part, which chose nothing.
 *
 *     npm run node -- lab/bench/excluded.ts --flickr8k <folder> [--keep <folder>] [--part development]
 */

const { values } = parseArgs({
  options: {
    flickr8k: { type: 'string', default: '.' },
    keep: { type: 'string' },
    part: { type: 'string', default: 'report' },
  },
});

/** Where fewer photographs of what is searched for show the excluded thing, leaving it out is no work. */
const leastShown = 4;
/** As many have to be left. */
const leastLeft = 10;

const ways: Record<string, (place: string, thing: string) => [q: string, more?: string]> = {
  'not excluded': (place) => [place],
  '-thing': (place, thing) => [`${place} -${thing}`],
  'without a thing': (place, thing) => [`${place} without a ${thing}`],
  'with no thing': (place, thing) => [`${place} with no ${thing}`],
  'not a thing': (place, thing) => [`${place}, not a ${thing}`],
  parameter: (place, thing) => [place, `&without=${thing}`],
  'part of an expression': (place, thing) => [`"${place}" and "outdoors -${thing}"`],
  'alone: not a thing': (_, thing) => [`not a ${thing}`],
};

await using captioned = await openCaptioned(values.flickr8k, values.keep);
const part = captioned.parts.find((each) => each.part === values.part) as CaptionedPart;
const [things, places] = [await readMentioned('thing'), await readMentioned('place')];
/** The share of the first ten that shows what is excluded: at worst of searches for one description, and of expressions. */
const worst = { one: 0, expression: 0 };
for (const [way, ask] of Object.entries(ways)) {
  const [shares, right, counts]: [number[], number[], number[]] = [[], [], []];
  for (const place of places) {
    const shown = part.files.filter((file) => part.count(file, place.pattern) > 0);
    for (const thing of things) {
      const excluded = shown.filter((file) => part.count(file, thing.pattern) > 0);
      if (excluded.length < leastShown || shown.length - excluded.length < leastLeft) continue;
      const found = await part.byWords(...ask(place.query, thing.query));
      counts.push(found.length);
      shares.push(found.filter((file) => part.count(file, thing.pattern) > 0).length / Math.max(1, found.length));
      right.push(found.filter((file) => shown.includes(file) && !excluded.includes(file)).length / 10);
    }
  }
  const kind = way === 'part of an expression' ? 'expression' : 'one';
  if (way !== 'not excluded') worst[kind] = Math.max(worst[kind], mean(shares));
  const figures = [mean(shares), mean(right), mean(counts)].map((value) => value.toFixed(3));
  console.log(
    `${part.part}, ${shares.length} queries, ${way}: shows it ${figures[0]}, right ${figures[1]}, hits ${figures[2]}`,
  );
}
if (part.part === 'report')
  expectQuality([
    { name: 'first ten without what is excluded', value: 1 - worst.one, least: 0.9 },
    { name: 'the same of expressions', value: 1 - worst.expression, least: 0.88 },
  ]);

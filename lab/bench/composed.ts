import { parseArgs } from 'node:util';
import { mean } from '@media-search/search-engine/vectors';
import { type CaptionedPart, type Mentioned, openCaptioned, readMentioned } from './captioned.ts';
import { expectQuality, type Quality } from './expected-quality.ts';

/**
 * Searches that join two things, through the API: a photograph of a place and the word for a thing ("like this, but a dog"), and two words (`"dog" and "snow"`). What
 * is right says its captions: they mention both. The halves alone, and one sentence, are what joining them is compared with. Exits 1 below what is expected of the
 * report part, which chose nothing.
 *
 *     npm run node -- lab/bench/composed.ts --flickr8k <folder> [--keep <folder>] [--part development]
 */

const { values } = parseArgs({
  options: {
    flickr8k: { type: 'string', default: '.' },
    keep: { type: 'string' },
    part: { type: 'string', default: 'report' },
  },
});

/** Fewer photographs that show both say nothing. */
const leastRight = 4;
/** Photographs of a place that are searched by, of each pair. */
const references = 3;

await using captioned = await openCaptioned(values.flickr8k, values.keep);
const part = captioned.parts.find((each) => each.part === values.part) as CaptionedPart;
const [things, places] = [await readMentioned('thing'), await readMentioned('place')];

type Found = Record<string, number>;
const [pictures, pairs]: [Found[], Found[]] = [[], []];
for (const place of places) {
  for (const thing of things) {
    const right = part.files.filter((file) => mentions(file, thing) && mentions(file, place));
    if (right.length < leastRight) continue;
    const recall = (found: string[]) =>
      found.filter((file) => right.includes(file)).length / Math.min(10, right.length);
    const words = recall(await part.byWords(thing.query));
    // What shows the place, and certainly not the thing.
    const shown = part.files.filter((file) => part.count(file, place.pattern) >= 3 && !mentions(file, thing));
    for (const file of shown.slice(0, references)) {
      pictures.push({
        'image and words': recall(await part.byImage(file, thing.query)),
        'image alone': recall(await part.byImage(file)),
        'words alone': words,
      });
    }
    pairs.push({
      'a and b': recall(await part.byWords(`"${thing.query}" and "${place.query}"`)),
      'one sentence': recall(await part.byWords(`${thing.query} ${place.query}`)),
      'better half': Math.max(words, recall(await part.byWords(place.query))),
    });
  }
}
console.log(`${part.part}: ${pictures.length} images with words, ${pairs.length} pairs; recall at 10`);
const [joined, both] = [summarise(pictures), summarise(pairs)];
const better = Math.max(joined['image alone'] ?? 0, joined['words alone'] ?? 0);
console.log(`image and words: ${((joined['image and words'] ?? 0) / better).toFixed(2)} × the better half`);
const figures: Quality[] = [
  { name: 'image and words, of the better half', value: (joined['image and words'] ?? 0) / better, least: 1.5 },
  { name: 'a and b, of one sentence', value: (both['a and b'] ?? 0) / (both['one sentence'] ?? 1), least: 1 },
];
if (part.part === 'report') expectQuality(figures);

function mentions(file: string, { pattern }: Mentioned): boolean {
  return part.count(file, pattern) > 0;
}

function summarise(found: Found[]): Found {
  const names = Object.keys(found[0] ?? {});
  const means = Object.fromEntries(names.map((name) => [name, mean(found.map((each) => each[name] ?? 0))]));
  for (const [name, value] of Object.entries(means)) console.log(`  ${name}: ${value.toFixed(3)}`);
  return means;
}

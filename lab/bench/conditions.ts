import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Condition, KnownName } from '../../server/search/conditions/condition.ts';
import { describe, parseConditions } from '../../server/search/conditions/parse-conditions.ts';

/**
 * What a search takes out of sentences with conditions: `conditions.tsv` was written by somebody who does not know the rules and was read by nobody who made them, `conditions-dev.tsv` was. Says how many
 * sentences have exactly the filters that are meant, how many have one that is not, and how long a sentence takes. Exits 1 below the gates.
 *
 *     npm run node -- lab/bench/conditions.ts [--file <conditions-dev.tsv>] [--each]
 */

const { values } = parseArgs({
  options: { file: { type: 'string', default: 'conditions.tsv' }, each: { type: 'boolean', default: false } },
});

const gates = { exact: 0.9, wrong: 0.01, medianMs: 2 };
const now = new Date('2026-06-17T12:00:00Z');

const names = (
  [
    ['creator_id', ['Anna Meyer', 'Ben Okafor', 'Golden Gate Films', 'May Chen', 'Studio Paris', 'Luis Ortega']],
    ['collection_ids', ['Summer 2023', 'Wedding Berlin', 'Interviews', 'City Walks', 'B-Roll', 'Old Archive']],
    ['tag_ids', ['red', 'drone', 'night shoot', 'approved', 'family', 'to check', 'slow motion']],
    ['category_id', ['nature', 'sports', 'news', 'travel']],
    ['place', ['Berlin', 'Paris', 'Lisbon', 'New York', 'Lake Tahoe', 'Tokyo']],
    ['camera', ['GoPro HERO11', 'Canon EOS R5', 'iPhone 15 Pro', 'DJI Mavic 3']],
  ] as const
).flatMap(([field, all]) => all.map((name): KnownName => ({ field, value: name, name })));

/** The day before a day. */
const lastDay = (bound: string): string => new Date(Date.parse(bound) - 86_400_000).toISOString().slice(0, 10);

/** A condition as the file has it. */
function write({ field, parameters: p }: Pick<Condition, 'field' | 'parameters'>): string {
  const range = (min: string | number = '', max: string | number = '') => `${min}..${max}`;
  switch (field) {
    case 'taken_at':
      return `date=${range(p.taken_after, p.taken_before && lastDay(String(p.taken_before)))}`;
    case 'duration':
      return `length=${range(p.duration_min && Math.ceil(Number(p.duration_min)), p.duration_max && Math.floor(Number(p.duration_max)))}`;
    case 'rating':
      return p.rating_max === 0 ? 'rating=none' : `rating=${range(p.rating_min, p.rating_max)}`;
    case 'type':
      return `type=${p.type === 'image' ? 'photo' : 'video'}`;
    case 'said':
    case 'shown':
      return `${field}=${String(p.words).replaceAll('"', '').toLowerCase()}`;
    default: {
      const name = { creator_id: 'creator', collection_ids: 'collection', tag_ids: 'tag', category_id: 'category' };
      return `${name[field as keyof typeof name] ?? field}=${String(Object.values(p)[0])}`;
    }
  }
}

/** Conditions that say the same are written the same: there are no more than five stars. */
const normal = (condition: string): string =>
  condition
    .trim()
    .replace(/^(said|shown)=(.*)$/, (whole) => whole.toLowerCase())
    .replace(/^rating=([0-4])\.\.5$/, 'rating=$1..');
const split = (cell: string, by: string | RegExp): string[] =>
  cell
    .split(by)
    .map(normal)
    .filter((each) => each !== '')
    .toSorted();
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\b(?:an?|the)\b|[^\p{L}\p{N} ]/giu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const lines = (await readFile(new URL(values.file, import.meta.url), 'utf8')).trimEnd().split('\n').slice(1);
const counts = { exact: 0, described: 0, wrong: 0, preferred: 0, ambiguous: 0 };
const times: number[] = [];
for (const line of lines) {
  const [sentence = '', description = '', conditions = '', ambiguous = ''] = line.split('\t');
  const began = performance.now();
  const conditionsFound = parseConditions(sentence, { names, now, zone: 'UTC' });
  const parsed = { conditions: conditionsFound, description: describe(sentence, conditionsFound) };
  times.push(performance.now() - began);
  const certain = parsed.conditions
    .filter((each) => each.certain)
    .map((each) => normal(write(each)))
    .toSorted();
  // Where a condition may mean two things, either is right: `date=2026-06-10..2026-06-17|2026-06-11..2026-06-17`.
  const wanted = split(conditions, ';')
    .map((each) => {
      const [field = '', either = ''] = each.split(/=(.*)/);
      const meant = either.split('|').map((value) => `${field}=${value.replace(`${field}=`, '')}`);
      return meant.find((value) => certain.includes(value)) ?? (meant[0] as string);
    })
    .toSorted();
  const preferred = parsed.conditions.filter((each) => !each.certain).map(write);
  const isExact = certain.join(';') === wanted.join(';');
  const wrong = certain.filter((each) => !wanted.includes(each));
  const possible = split(ambiguous, /[|;]/);
  const isDescribed = plain(parsed.description) === plain(description);
  if (isExact) counts.exact += 1;
  if (isDescribed) counts.described += 1;
  if (wrong.length > 0) counts.wrong += 1;
  if (possible.length > 0) counts.ambiguous += 1;
  if (possible.length > 0 && possible.every((each) => preferred.map(normal).includes(each))) counts.preferred += 1;
  if (values.each && (!isExact || !isDescribed)) {
    console.log(
      `${isExact ? 'words' : wrong.length > 0 ? 'WRONG' : 'lacks'}  ${sentence}\n       filters ${certain.join('; ')} | wanted ${wanted.join('; ')}\n       left “${parsed.description}” | wanted “${description}”`,
    );
  }
}
const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
const share = (count: number, of = lines.length) => `${count} of ${of} (${(count / of).toFixed(3)})`;
console.log(`exactly the filters   ${share(counts.exact)}, wanted ${gates.exact}`);
console.log(`a filter not meant    ${share(counts.wrong)}, at most ${gates.wrong}`);
console.log(`preferred in doubt    ${share(counts.preferred, counts.ambiguous)}`);
console.log(`the same description  ${share(counts.described)}`);
console.log(`median of a sentence  ${median.toFixed(3)} ms, at most ${gates.medianMs}`);
if (counts.exact / lines.length < gates.exact || counts.wrong / lines.length > gates.wrong || median > gates.medianMs)
  process.exitCode = 1;

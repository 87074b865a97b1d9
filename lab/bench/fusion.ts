import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { imageWeight } from '@media-search/search-engine/ranking/fuse';
import { mean } from '@media-search/search-engine/vectors';
import { startTestService } from '../../server/testing/running-service.ts';
import { listPhotographs, readJudged } from './judged.ts';
import { waitForItem } from './library.ts';
import { type Answer, format, reciprocalRank } from './measures.ts';
import { type Evidence, evidenceOf } from './visual-evidence.ts';

/**
 * Compares ways to fuse the evidence of images and texts, on the same responses of our HTTP API. Photographs are uploaded under names as
 * archives have them: every second one of those that a word describes has it in its name, and all names hold two filler words. In a second
 * round some wrong photographs have the word as well. Each word is searched for, alone and in a phrase with fillers. Each way takes the
 * constant that is best on the labelled photographs and their words (`photo-groups.tsv`; by mean gain); the table reports photographs of
 * Flickr8k and other words, which chose nothing (`things.tsv`, judged by the captions): normalised discounted cumulative gain at 10 / mean
 * reciprocal rank of the first right photograph.
 *
 *     npm run node -- lab/bench/fusion.ts --photos <folder> --clips <folder> --flickr8k <folder> [--embedder <builtin|preset|folder>]
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    flickr8k: { type: 'string', default: '.' },
    embedder: { type: 'string', default: 'builtin' },
  },
});

/** Photographs, and which of them are right for each word or expression. */
type Material = { role: 'chosen on' | 'reported'; folder: string; files: string[]; groups: Map<string, string[]> };

/** Photographs of Flickr8k for each thing, at most. */
const perThing = 8;
const labelled: Material = {
  role: 'chosen on',
  folder: path.resolve(values.photos),
  files: await listPhotographs(values.photos),
  groups: await readGroups(),
};
const others: Material = await readOthers();

/** Words in file names that do not describe the image. */
const fillers = ['old', 'photo', 'small', 'final', 'copy', 'export'];
const phrases: Record<string, (word: string) => string> = {
  word: (word) => word,
  phrase: (word) => `an old photo of a small ${word}`,
};

type Ranked = Evidence & { file: string; similarity: number; score: number };
/** A score by which hits are ordered, given all of them. */
type Fusion = (all: Ranked[]) => (one: Ranked) => number;
/** A way to fuse with each of its constants. */
type Family = { name: string; constants: number[]; fusion: (constant: number) => Fusion };

const rankOf = (all: Ranked[], by: (one: Ranked) => number): Map<Ranked, number> =>
  new Map(all.toSorted((a, b) => by(b) - by(a)).map((one, rank) => [one, rank + 1]));

/** Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009); what has no text is not in the list of texts. */
const reciprocal =
  (k: number): Fusion =>
  (all) => {
    const visual = rankOf(all, (one) => one.similarity);
    const text = rankOf(
      all.filter((one) => one.text > 0),
      (one) => one.text,
    );
    return (one) => 1 / (k + (visual.get(one) ?? 0)) + (text.has(one) ? 1 / (k + (text.get(one) ?? 0)) : 0);
  };

/** Both scaled to 0..1 between the least and the most among the hits, as convex combination (Bruch, Gai & Ingber 2023). */
const convex =
  (weight: number): Fusion =>
  (all) => {
    const scale = (by: (one: Ranked) => number) => {
      const scores = all.map((one) => by(one));
      const [least, most] = [Math.min(...scores), Math.max(...scores)];
      return (one: Ranked) => (most > least ? (by(one) - least) / (most - least) : 0);
    };
    const [visual, text] = [scale((one) => one.similarity), scale((one) => one.text)];
    return (one) => weight * visual(one) + (1 - weight) * text(one);
  };

/** Ours: 1 - (1 - weight · visual)(1 - text). */
const independent =
  (weight: number): Fusion =>
  () =>
  ({ visual, text }) =>
    1 - (1 - weight * visual) * (1 - text);

const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const families: Family[] = [
  { name: 'images alone', constants: [1], fusion: () => () => (one) => one.similarity },
  { name: 'texts alone', constants: [1], fusion: () => () => (one) => one.text },
  { name: 'reciprocal rank, k', constants: [1, 3, 10, 30, 60], fusion: reciprocal },
  { name: 'convex, share of images', constants: tenths, fusion: convex },
  { name: 'independent evidence, weight of images', constants: tenths, fusion: independent },
  { name: 'as the search does it, weight of images', constants: [imageWeight], fusion: () => () => (one) => one.score },
];

/** A search: its conditions, the word, and what it found. */
type Asked = { role: Material['role']; conditions: string; word: string; right: string[]; all: Ranked[] };

const asked: Asked[] = [];
for (const material of [labelled, others]) {
  for (const wrongFraction of [0, 0.5]) asked.push(...(await search(material, wrongFraction)));
}
const conditions = [...new Set(asked.map((each) => each.conditions))];
console.log(`| | constant | ${conditions.join(' | ')} |`);
console.log(`| --- | --- |${' --- |'.repeat(conditions.length)}`);
for (const { name, constants, fusion } of families) {
  const gain = (constant: number) => measure(fusion(constant), ({ role }) => role === 'chosen on').gain;
  const chosen = constants.reduce((best, each) => (gain(each) > gain(best) ? each : best));
  const cells = conditions.map((condition) => {
    const reported = measure(fusion(chosen), (each) => each.conditions === condition && each.role === 'reported');
    return `${format(reported.gain)} / ${format(reported.rank)}`;
  });
  console.log(`| ${name} | ${chosen} | ${cells.join(' | ')} |`);
}
console.log('\n| weight of images | mean gain, chosen on | reported |');
console.log('| --- | --- | --- |');
for (const weight of tenths) {
  const gains = (['chosen on', 'reported'] as const).map(
    (role) => measure(independent(weight), (each) => each.role === role).gain,
  );
  console.log(`| ${weight} | ${gains.map(format).join(' | ')} |`);
}

/**
 * Uploads the photographs and searches for each word.
 * @param wrongFraction how many wrong photographs have a word in their names, of those that rightly have it
 */
async function search({ role, folder, files, groups }: Material, wrongFraction: number): Promise<Asked[]> {
  await using service = await startTestService({ embedder: values.embedder, workers: 2 });
  const { client } = service;
  const described = new Set([...groups.values()].flat());
  const undescribed = files.filter((file) => !described.has(file));
  const words = chooseNames(groups, undescribed, wrongFraction);
  const items = new Map<string, string>();
  const { data: nameless } = await client.post<{ id: string }>('/creators', { name: 'nameless' });
  for (const [i, file] of files.entries()) {
    // Some that no word describes have a name without any word: they tell what an image alone is worth.
    if (!words.has(file) && i % 5 === 0 && !described.has(file)) {
      const { data } = await client.upload(path.join(folder, file), `qz${i}.jpg`, { creator_id: nameless.id });
      await waitForItem(client, data.id);
      continue;
    }
    const [one, other] = [fillers[i % fillers.length], fillers[(i * 7 + 3) % 5]];
    const name = `${one} ${words.get(file) ?? ''} ${other} ${i}.jpg`;
    items.set((await client.upload(path.join(folder, file), name)).data.id, file);
  }
  for (const id of items.keys()) await waitForItem(client, id);
  const found: Asked[] = [];
  for (const [query, phrase] of Object.entries(phrases)) {
    for (const [word, right] of groups) {
      const { data } = await client.search(phrase(word), '&n=100');
      const { data: alone } = await client.search(phrase(word), `&n=20&creator_id=${nameless.id}`);
      const named = data.filter(({ id }) => items.has(id));
      const all = [...evidenceOf(named, alone)].map(([hit, evidence]) => ({
        ...evidence,
        file: items.get(hit.id) as string,
        similarity: hit.signals.visual ?? -1,
        score: hit.score,
      }));
      found.push({ role, conditions: `the ${query}${wrongFraction > 0 ? ', wrong names' : ''}`, word, right, all });
    }
  }
  return found;
}

/** The word in the name of each photograph that has one. */
function chooseNames(groups: Material['groups'], undescribed: string[], wrongFraction: number): Map<string, string> {
  const words = new Map<string, string>();
  for (const [place, [word, right]] of [...groups].entries()) {
    for (const file of right.filter((_, i) => i % 2 === 0)) words.set(file, word);
    const wrong = Math.round(wrongFraction * Math.ceil(right.length / 2));
    for (let i = 0; i < wrong; i++) words.set(undescribed[(7 * place + 13 * i) % undescribed.length] as string, word);
  }
  return words;
}

/** Means over the searches that are taken. */
function measure(fusion: Fusion, isTaken: (each: Asked) => boolean): { gain: number; rank: number } {
  const answers = asked.filter(isTaken).map(({ word, right, all }) => {
    const score = fusion(all);
    return { query: word, right, found: all.toSorted((a, b) => score(b) - score(a)).map(({ file }) => file) };
  });
  return { gain: mean(answers.map(gainAt10)), rank: reciprocalRank(answers) };
}

/** Normalised discounted cumulative gain of the first ten. */
function gainAt10({ found, right }: Answer): number {
  const gainOf = (hits: boolean[]) =>
    hits.slice(0, 10).reduce((sum, hit, i) => sum + (hit ? 1 / Math.log2(i + 2) : 0), 0);
  return gainOf(found.map((file) => right.includes(file))) / gainOf(right.map(() => true));
}

async function readGroups(): Promise<Map<string, string[]>> {
  const [, ...lines] = (await readFile(new URL('photo-groups.tsv', import.meta.url), 'utf8')).trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [word = '', photographs = ''] = line.split('\t');
      return [word, photographs.split(' ')];
    }),
  );
}

/** Photographs of Flickr8k for each thing that people type, and a few others; one that is right for two things is left out. */
async function readOthers(): Promise<Material> {
  const { things, uploads } = await readJudged(values);
  const all = uploads.find(({ group }) => group === 'flickr8k');
  if (!all) throw new Error('Name the folder of Flickr8k: --flickr8k <folder>');
  const present = new Set(all.files);
  const counts = new Map<string, number>();
  for (const file of things.flatMap(({ right }) => right)) counts.set(file, (counts.get(file) ?? 0) + 1);
  const groups = new Map(
    things.map(({ query, right }) => [
      query,
      right.filter((file) => present.has(file) && counts.get(file) === 1).slice(0, perThing),
    ]),
  );
  for (const [thing, right] of groups) if (right.length < 2) groups.delete(thing);
  const undescribed = all.files.filter((file) => !counts.has(file));
  const described = [...groups.values()].flat();
  return { role: 'reported', folder: all.folder, files: [...described, ...undescribed.slice(0, 100)], groups };
}

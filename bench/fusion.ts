import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { imageWeight } from '../server/search/fuse.ts';
import { startTestService } from '../server/testing/running-service.ts';
import { mean } from '../server/vectors.ts';
import { halfOf } from './halves.ts';
import { listPhotographs } from './judged.ts';
import { waitForItem } from './library.ts';
import { type Answer, format, reciprocalRank } from './measures.ts';
import { type Evidence, evidenceOf } from './visual-evidence.ts';

/**
 * Compares ways to fuse the evidence of images and texts, on the same responses of our HTTP API. Photographs are uploaded under names as
 * archives have them: every second one of those that a word describes (`photo-groups.tsv`) has it in its name, and all names hold two
 * filler words. In a second round some wrong photographs have the word as well. Each word is searched for, alone and in a phrase with
 * fillers. Each way takes the constant that is best on one half of the words (by mean gain); the table reports the other half: normalised
 * discounted cumulative gain at 10 / mean reciprocal rank of the first right photograph.
 *
 *     node bench/fusion.ts <folder of photographs> [--embedder <builtin|preset|folder>]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { embedder: { type: 'string', default: 'builtin' } },
});
const folder = path.resolve(positionals[0] ?? '.');
const groups = await readGroups();
const files = await listPhotographs(folder);
const described = new Set([...groups.values()].flat());
const others = files.filter((file) => !described.has(file));

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
type Asked = { conditions: string; word: string; right: string[]; all: Ranked[] };

const asked = [...(await search(0)), ...(await search(0.5))];
const conditions = [...new Set(asked.map((each) => each.conditions))];
console.log(`| | constant | ${conditions.join(' | ')} |`);
console.log(`| --- | --- |${' --- |'.repeat(conditions.length)}`);
for (const { name, constants, fusion } of families) {
  const gain = (constant: number) => measure(fusion(constant), (each) => halfOf(each.word) === 'first').gain;
  const chosen = constants.reduce((best, each) => (gain(each) > gain(best) ? each : best));
  const cells = conditions.map((condition) => {
    const { gain, rank } = measure(
      fusion(chosen),
      (each) => each.conditions === condition && halfOf(each.word) === 'second',
    );
    return `${format(gain)} / ${format(rank)}`;
  });
  console.log(`| ${name} | ${chosen} | ${cells.join(' | ')} |`);
}
console.log('\nMean gain on the half that the weight of images is chosen on, and on the other:');
for (const weight of tenths) {
  const halves = (['first', 'second'] as const).map(
    (half) => measure(independent(weight), (each) => halfOf(each.word) === half).gain,
  );
  console.log(`${weight}: ${halves.map(format).join(', ')}`);
}

/**
 * Uploads the photographs and searches for each word.
 * @param wrongFraction how many wrong photographs have a word in their names, of those that rightly have it
 */
async function search(wrongFraction: number): Promise<Asked[]> {
  await using service = await startTestService({ embedder: values.embedder, workers: 2 });
  const { client } = service;
  const words = chooseNames(wrongFraction);
  const items = new Map<string, string>();
  const { data: nameless } = await client.post<{ id: string }>('/creators', { name: 'nameless' });
  for (const [i, file] of files.entries()) {
    // Some that no word describes have a name without any word: they tell what an image alone is worth.
    if (!words.has(file) && i % 5 === 0 && others.includes(file)) {
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
      found.push({ conditions: `the ${query}${wrongFraction > 0 ? ', wrong names' : ''}`, word, right, all });
    }
  }
  return found;
}

/** The word in the name of each photograph that has one. */
function chooseNames(wrongFraction: number): Map<string, string> {
  const words = new Map<string, string>();
  for (const [place, [word, right]] of [...groups].entries()) {
    for (const file of right.filter((_, i) => i % 2 === 0)) words.set(file, word);
    const wrong = Math.round(wrongFraction * Math.ceil(right.length / 2));
    for (let i = 0; i < wrong; i++) words.set(others[(7 * place + 13 * i) % others.length] as string, word);
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

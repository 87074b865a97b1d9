import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { SearchHit } from '../contract/search.ts';
import { startTestService } from '../server/testing/running-service.ts';

/**
 * Compares ways to fuse the evidence of images and texts, on the same responses of our HTTP API. Photographs are uploaded under names as
 * archives have them: every second one of those that a word describes (`photo-groups.tsv`) has it in its name, and so have some wrong ones;
 * all names hold two filler words. Each word is searched for, alone and in a phrase with fillers. For each way it prints precision at 10 (of
 * the right ones, if they are fewer), mean reciprocal rank of the first right one, and normalised discounted cumulative gain at 10.
 *
 *     node bench/fusion.ts <folder of photographs> --embedder <preset|folder>
 */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { embedder: { type: 'string' } } });
const folder = path.resolve(positionals[0] ?? '.');
if (values.embedder === undefined) throw new Error('Name a semantic embedder: --embedder <preset|folder>');
const groups = await readGroups();
const files = (await readdir(folder)).filter((name) => /\.jpe?g$/i.test(name)).toSorted();

/** Words in file names that do not describe the image. */
const fillers = ['old', 'photo', 'small', 'final', 'copy', 'export'];
const phrases: Record<string, (word: string) => string> = {
  word: (word) => word,
  phrase: (word) => `an old photo of a small ${word}`,
};

type Ranked = { hit: SearchHit; visual: number; text: number };
/** A score by which hits are ordered, given all of them. */
type Fusion = (all: Ranked[]) => (one: Ranked) => number;

const rankOf = (all: Ranked[], by: (one: Ranked) => number): Map<Ranked, number> =>
  new Map(all.toSorted((a, b) => by(b) - by(a)).map((one, rank) => [one, rank + 1]));

/** Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009); what has no text is not in the list of texts. */
const reciprocal =
  (k: number): Fusion =>
  (all) => {
    const visual = rankOf(all, (one) => one.visual);
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
    const [visual, text] = [scale((one) => one.visual), scale((one) => one.text)];
    return (one) => weight * visual(one) + (1 - weight) * text(one);
  };

const fusions: Record<string, Fusion> = {
  'images alone': () => (one) => one.visual,
  'texts alone': () => (one) => one.text,
  'reciprocal rank, k = 60': reciprocal(60),
  'reciprocal rank, k = 10': reciprocal(10),
  'convex, 0.3 images': convex(0.3),
  'convex, 0.5 images': convex(0.5),
  'convex, 0.8 images': convex(0.8),
  'ours: independent evidence': () => (one) => one.hit.score,
};

console.log('| wrong names | query | | precision at 10 | reciprocal rank | nDCG at 10 |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const wrongFraction of [0, 0.5]) {
  await using service = await startTestService({ embedder: values.embedder, workers: 2 });
  const { client } = service;
  const words = new Map<string, string>();
  for (const [place, [word, right]] of [...groups].entries()) {
    for (const file of right.filter((_, i) => i % 2 === 0)) words.set(file, word);
    const others = files.filter((file) => ![...groups.values()].flat().includes(file));
    const wrong = Math.round(wrongFraction * Math.ceil(right.length / 2));
    for (let i = 0; i < wrong; i++) words.set(others[(7 * place + 13 * i) % others.length] as string, word);
  }
  const items = new Map<string, string>();
  for (const [i, file] of files.entries()) {
    const [one, other] = [fillers[i % fillers.length], fillers[(i * 7 + 3) % 5]];
    const name = `${one} ${words.get(file) ?? ''} ${other} ${i}.jpg`;
    items.set((await client.upload(path.join(folder, file), name)).data.id, file);
  }
  for (const id of items.keys()) await client.waitUntilIndexed(id);

  for (const [query, phrase] of Object.entries(phrases)) {
    const sums = new Map(Object.keys(fusions).map((name) => [name, { precision: 0, reciprocal: 0, gain: 0 }]));
    for (const [word, right] of groups) {
      const { data } = await client.search(phrase(word), '&n=100');
      const all = data.map((hit) => ({ hit, visual: hit.signals.visual ?? -1, text: hit.signals.text ?? 0 }));
      for (const [name, fusion] of Object.entries(fusions)) {
        const score = fusion(all);
        const found = all.toSorted((a, b) => score(b) - score(a)).map(({ hit }) => items.get(hit.id) as string);
        add(sums.get(name) as Sums, found, right);
      }
    }
    for (const [name, { precision, reciprocal: rank, gain }] of sums) {
      const means = [precision, rank, gain].map((sum) => (sum / groups.size).toFixed(3));
      console.log(`| ${100 * wrongFraction} % | ${query} | ${name} | ${means.join(' | ')} |`);
    }
  }
}

type Sums = { precision: number; reciprocal: number; gain: number };

function add(sums: Sums, found: string[], right: string[]): void {
  const wanted = Math.min(10, right.length);
  const isRight = found.map((file) => right.includes(file));
  const gainOf = (hits: boolean[]) =>
    hits.slice(0, 10).reduce((sum, hit, i) => sum + (hit ? 1 / Math.log2(i + 2) : 0), 0);
  sums.precision += isRight.slice(0, wanted).filter(Boolean).length / wanted;
  const first = isRight.indexOf(true);
  sums.reciprocal += first === -1 ? 0 : 1 / (first + 1);
  sums.gain += gainOf(isRight) / gainOf(right.map(() => true));
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

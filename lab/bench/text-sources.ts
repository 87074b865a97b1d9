import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Accumulator } from '@media-search/search-engine/text/accumulator';
import { findWords, stemOf } from '@media-search/search-engine/text/analyse-text';
import { buildTextSegment, runToEnd } from '@media-search/search-engine/text/build-segment';
import { searchTexts } from '@media-search/search-engine/text/search-texts';
import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import type { IndexedTexts } from '@media-search/search-engine/text/text-segment';
import { allSources, sourceWeights } from '@media-search/search-engine/text/text-sources';
import { mean } from '@media-search/search-engine/vectors';
import type { SegmentSource, TextSource } from '../../contract/texts.ts';
import { createRandom, type Random } from '../../packages/search-engine/testing/random.ts';
import { format, reciprocalRank } from './measures.ts';

/**
 * What a word should count by the text that holds it. Clips are made of the captions of Flickr8k, which say what each shows: file names, tags,
 * chapters, subtitles, speech and words in the picture take words from them, with the errors of each source, among lines that other
 * clips' captions lend: people also speak of what is not to be seen, and signs name something else. A query is two words that at least two of the
 * five captions of a clip have; right are all clips of which at least two captions have each. Weights are chosen on Flickr8k's development
 * photographs, by nDCG at 10, one source after the other. The test photographs report: nDCG at 10 / mean reciprocal rank, also where
 * names or speech are worse than what the weights were chosen on.
 *
 *     npm run node -- lab/bench/text-sources.ts --flickr8k <folder with Flickr8k_text>
 */

const { values } = parseArgs({ options: { flickr8k: { type: 'string', default: '.' } } });

type Clip = { file: string; captions: string[]; texts: IndexedTexts };
type Query = { query: string; right: string[] };
type Weights = Record<TextSource, number>;

/** How often clips have a text of each source, and how often it is wrong, 0..1. */
type World = {
  /** File names that describe, and how many of these are of another clip. */
  named: number;
  misnamed: number;
  /** Clips with tags. */
  tagged: number;
  /** Clips with speech; half as many have subtitles instead. How many of them speak of what is seen, besides three other lines. */
  spoken: number;
  onTopic: number;
  /** Words that are recognised wrongly. */
  misheard: number;
  misread: number;
  /** Clips with words in the picture, and how many of them name what is seen, besides two other lines. */
  written: number;
  labelled: number;
};

const usual: World = {
  named: 0.4,
  misnamed: 0.1,
  tagged: 0.25,
  spoken: 0.5,
  onTopic: 0.5,
  misheard: 0.2,
  misread: 0.15,
  written: 0.4,
  labelled: 0.4,
};
const worlds: Record<string, World> = {
  'as chosen on': usual,
  'half of the names wrong': { ...usual, misnamed: 0.5 },
  'speech about something else': { ...usual, onTopic: 0.1 },
  'few names, much speech': { ...usual, named: 0.1, tagged: 0.05, spoken: 0.66 },
};

const equal = Object.fromEntries(Object.keys(sourceWeights).map((source) => [source, 1])) as Weights;
const accumulator = new Accumulator();
const captions = await readCaptions();
const spare = (await listPhotographs('train')).flatMap((file) => captions.get(file) ?? []);
const development = await makeMaterial('dev', usual, 11);
const chosen = await chooseWeights(development);
const candidates: [string, Weights][] = [
  ['all 1', equal],
  ['file names and tags 2, others 1', { ...equal, filename: 2, tag: 2 }],
  ['chosen on the development photographs', chosen],
  ['as the service has them', sourceWeights],
];
console.log(`chosen: ${JSON.stringify(chosen)}`);
console.log(
  `development: ${(await Promise.all(candidates.map(async ([name, weights]) => `${name} ${await describe(development, weights)}`))).join('; ')}`,
);
for (const [world, rates] of Object.entries(worlds)) {
  const material = await makeMaterial('test', rates, 12);
  for (const [name, weights] of candidates) console.log(`${world} | ${name} | ${await describe(material, weights)}`);
}

/** The photographs of a split. */
async function listPhotographs(split: 'train' | 'dev' | 'test'): Promise<string[]> {
  const text = await readFile(path.join(values.flickr8k, 'Flickr8k_text', `Flickr_8k.${split}Images.txt`), 'utf8');
  return text.split(/\s+/).filter(Boolean);
}

async function readCaptions(): Promise<Map<string, string[]>> {
  const text = await readFile(path.join(values.flickr8k, 'Flickr8k_text', 'Flickr8k.token.txt'), 'utf8');
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [id = '', caption = ''] = line.trim().split('\t');
    const file = id.split('#')[0] as string;
    found.set(file, [...(found.get(file) ?? []), caption]);
  }
  return found;
}

async function makeMaterial(split: 'dev' | 'test', world: World, seed: number) {
  const random = createRandom(seed);
  const files = await listPhotographs(split);
  const clips = files.map((file): Clip => {
    const own = captions.get(file) ?? [];
    return { file, captions: own, texts: makeTexts(own, world, random) };
  });
  const held = new Map(clips.map(({ file, captions }) => [file, stemsHeldTwice(captions)]));
  const queries = clips.flatMap(({ file, captions }): Query[] => {
    const words = shuffle(random, [...new Set(captions.flatMap(contentWords))]);
    const [first, second] = words.filter((word) => held.get(file)?.has(stemOf(word)) ?? false);
    if (first === undefined || second === undefined || stemOf(first) === stemOf(second)) return [];
    const stems = [stemOf(first), stemOf(second)];
    const right = clips.filter((clip) => stems.every((stem) => held.get(clip.file)?.has(stem) ?? false));
    return [{ query: `${first} ${second} `, right: right.map((clip) => clip.file) }];
  });
  return { clips, queries };
}
type Material = Awaited<ReturnType<typeof makeMaterial>>;

/** The words of a sentence that a search looks for. */
function contentWords(sentence: string): string[] {
  return parseTextQuery(sentence.replaceAll(/[^\p{L}\s]/gu, ' ')).terms.map((term) => term.toLowerCase());
}

function stemsHeldTwice(sentences: string[]): Set<string> {
  const counts = new Map<string, number>();
  for (const sentence of sentences) {
    for (const stem of new Set(Array.from(findWords(sentence), ({ token }) => stemOf(token)))) {
      counts.set(stem, (counts.get(stem) ?? 0) + 1);
    }
  }
  return new Set([...counts].filter(([, count]) => count >= 2).map(([stem]) => stem));
}

function makeTexts(own: string[], world: World, random: Random): IndexedTexts {
  const chance = (share: number) => random.below(10_000) < share * 10_000;
  const wordsOf = (count: number, sentence: string) => shuffle(random, contentWords(sentence)).slice(0, count);
  const some = (count: number) => wordsOf(count, random.pick(own)).join(' ');
  const others = (lines: number) => Array.from({ length: lines }, () => random.pick(spare));
  const spoil = (lines: string[], share: number) =>
    lines.map((line) =>
      line.replaceAll(/\p{L}+/gu, (word) => (chance(share) ? random.pick(contentWords(random.pick(spare))) : word)),
    );
  const said = () => shuffle(random, [...others(3), ...(chance(world.onTopic) ? [random.pick(own)] : [])]);
  const shown = () => [
    ...others(2).map((line) => wordsOf(3, line).join(' ')),
    ...(chance(world.labelled) ? [some(2)] : []),
  ];
  const texts: IndexedTexts['texts'] = [];
  const add = (source: SegmentSource, lines: string[]) => texts.push(...lines.map((text) => ({ source, text })));
  const isSpoken = chance(world.spoken);
  const isSubtitled = !isSpoken && chance(world.spoken);
  if (isSpoken) add('speech', spoil(said(), world.misheard));
  if (isSubtitled) add('subtitle', said());
  if (chance(0.1)) add('chapter', [some(2)]);
  if (chance(world.written)) add('ocr', spoil(shown(), world.misread));
  const described = chance(world.misnamed) ? wordsOf(2, random.pick(spare)).join('_') : some(2).replaceAll(' ', '_');
  return {
    texts,
    filename: chance(world.named) ? `${described}.mp4` : `IMG_${1000 + random.below(9000)}.MOV`,
    tags: chance(world.tagged) ? [some(1), some(1), some(1)].join(', ') : '',
  };
}

/** The same values in another order (Fisher & Yates). */
function shuffle<Value>(random: Random, values: readonly Value[]): Value[] {
  const shuffled = [...values];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [shuffled[i], shuffled[other]] = [shuffled[other] as Value, shuffled[i] as Value];
  }
  return shuffled;
}

/** nDCG at 10 and the mean reciprocal rank of the first right clip. */
async function measure({ clips, queries }: Material, weights: Weights): Promise<{ gain: number; rank: number }> {
  const texts = clips.map((clip) => clip.texts);
  const segment = runToEnd(buildTextSegment(0, texts, weights));
  const answers = await Promise.all(
    queries.map(async ({ query, right }) => {
      const { matches } = await searchTexts([segment], parseTextQuery(query), {
        selected: new Uint32Array(Math.ceil(clips.length / 32)).fill(0xff_ff_ff_ff),
        sources: allSources,
        labelled: [],
        count: 10,
        enough: 0,
        readTexts: (slots) => slots.map((slot) => texts[slot]),
        accumulator,
      });
      return { query, right, found: matches.map(({ slot }) => clips[slot]?.file ?? '') };
    }),
  );
  const discount = (place: number) => 1 / Math.log2(place + 2);
  const gains = answers.map(({ right, found }) => {
    const best = right.slice(0, 10).reduce((sum, _, place) => sum + discount(place), 0);
    return found.reduce((sum, file, place) => sum + (right.includes(file) ? discount(place) : 0), 0) / best;
  });
  return { gain: mean(gains), rank: reciprocalRank(answers) };
}

async function describe(material: Material, weights: Weights): Promise<string> {
  const { gain, rank } = await measure(material, weights);
  return `${format(gain)} / ${format(rank)}`;
}

/** Tries other weights for one source after the other, as long as any is better. */
async function chooseWeights(material: Material): Promise<Weights> {
  let best = equal;
  let { gain } = await measure(material, best);
  for (let improved = true; improved;) {
    improved = false;
    for (const source of ['filename', 'tag', 'chapter', 'subtitle', 'ocr', 'speech'] as const) {
      for (const weight of [0.5, 0.75, 1, 1.5, 2, 3, 4]) {
        const tried = { ...best, [source]: weight };
        const result = await measure(material, tried);
        if (result.gain <= gain + 0.0005) continue;
        best = tried;
        gain = result.gain;
        improved = true;
      }
    }
  }
  return best;
}

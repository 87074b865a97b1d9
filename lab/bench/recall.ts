import { parseArgs } from 'node:util';
import { type Judged, readJudged } from './judged.ts';
import { type Library, openLibrary, type Scope } from './library.ts';
import { type Answer, format, precisionAt10, precisionOf, recallAt, reciprocalRank } from './measures.ts';

/**
 * How well words find the images that they describe, for each embedder, by the HTTP API of a running service: captions of Flickr8k's test
 * photographs, things that people type, class names and kinds of things, descriptions of clips, and queries on colour, light, layout and
 * motion. How right answers were chosen is said in `things.tsv` and `kinds.tsv`.
 *
 *     npm run node -- lab/bench/recall.ts --photos <folder> --clips <folder> [--flickr8k <folder>] [--embedder <builtin|descriptors|preset|folder> ...]
 *
 * Without Flickr8k, things are searched among the labelled photographs and clips alone. `--keep <folder>` keeps what was indexed for the
 * next run, or for a run that was interrupted. `--each` prints the precision of each query.
 */

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '.' },
    clips: { type: 'string', default: '.' },
    flickr8k: { type: 'string' },
    embedder: { type: 'string', multiple: true, default: ['descriptors'] },
    keep: { type: 'string' },
    each: { type: 'boolean', default: false },
  },
});

const judged = await readJudged(values);

const header: string[] = [];
const rows = new Map<string, string[]>();
for (const embedder of values.embedder) {
  await using library = await openLibrary(embedder, judged.uploads, values.keep);
  header.push(library.embedder);
  for (const [name, cell] of Object.entries(await measure(library))) rows.set(name, [...(rows.get(name) ?? []), cell]);
}
console.log(`| | ${header.map((id) => `\`${id}\``).join(' | ')} |`);
console.log(`| --- |${' --- |'.repeat(header.length)}`);
for (const [name, cells] of rows) console.log(`| ${name} | ${cells.join(' | ')} |`);

async function measure(library: Library): Promise<Record<string, string>> {
  const labelled = { group: 'labelled' };
  const photographsAlone: Scope = { ...labelled, type: 'image' };
  const captions = await answer(library, judged.captions, { group: 'flickr8k' });
  const names = await answer(library, judged.names, photographsAlone);
  const kinds = await answer(library, judged.kinds, photographsAlone);
  const descriptions = await answer(library, judged.descriptions, { ...labelled, type: 'video' });
  const things = await answer(library, judged.things, {});
  const descriptors = await answer(library, judged.descriptors, labelled);
  const recalls = (answers: Answer[]) => [1, 5, 10].map((depth) => format(recallAt(answers, depth))).join(' / ');
  const ofPart = (part: string) => descriptors.filter((_, i) => judged.descriptors[i]?.part === part);
  const ofKind = (kind: string) => descriptors.filter((_, i) => judged.descriptors[i]?.kind === kind);
  const descriptorKinds = new Set(judged.descriptors.map(({ kind }) => kind));
  return {
    ...(captions.length > 0 ? { [`${captions.length} captions: recall at 1 / 5 / 10`]: recalls(captions) } : {}),
    [`${things.length} things that people type: precision at 10`]: format(precisionAt10(things)),
    [`${names.length} class names: recall at 1 / 5 / 10`]: recalls(names),
    [`${kinds.length} kinds of things: precision at 10`]: format(precisionAt10(kinds)),
    [`${descriptions.length} descriptions of clips: recall at 1 / 5 / 10`]: recalls(descriptions),
    ...Object.fromEntries(
      ['tuning', 'held out'].map((part) => [
        `${ofPart(part).length} queries for descriptors, ${part}: precision at 10, reciprocal rank`,
        `${format(precisionAt10(ofPart(part)))}, ${format(reciprocalRank(ofPart(part)))}`,
      ]),
    ),
    ...Object.fromEntries(
      [...descriptorKinds].map((kind) => [`of these, ${kind}: precision at 10`, format(precisionAt10(ofKind(kind)))]),
    ),
  };
}

async function answer(library: Library, queries: Judged[], scope: Scope): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { query, right } of queries) answers.push({ query, right, found: await library.search(query, scope) });
  if (values.each && queries !== judged.captions) {
    for (const each of answers) console.log(`${format(precisionOf(each))} ${each.query}: ${each.found.join(' ')}`);
  }
  return answers;
}

import { parseArgs } from 'node:util';
import { createEmbedderLoader } from '@media-search/models/load-embedder';
import { dot } from '@media-search/search-engine/vectors';
import { embedAll } from './embed-library.ts';
import { findReference } from './embedder-by-name.ts';
import { expectQuality } from './expected-quality.ts';
import type { Judged } from './judged.ts';
import { type Answer, format, precisionAt10, recallAt } from './measures.ts';
import { commonness, readUnseen, type UnseenThing } from './unseen.ts';

/**
 * How well words find photographs that are not of the family that the heads of the built-in encoder learned from: captions, and things by how often the
 * training captions name them. Nothing was chosen by these figures, so both parts of the material count. Exits 1 where less is found than before.
 * Without a service, by the vectors that it would store.
 *
 *     npm run node -- lab/bench/recall-unseen.ts --captioned <folder> --classes <101_ObjectCategories> [--embedder <builtin>] [--cache <file>]
 *
 * `unseen.ts` says what the folders hold. `--cache` keeps the vectors of the photographs for the next call, and is that of `weak.ts`.
 */

const { values } = parseArgs({
  options: {
    captioned: { type: 'string', default: '.' },
    classes: { type: 'string', default: '.' },
    embedder: { type: 'string', default: 'builtin' },
    cache: { type: 'string' },
  },
});

/** What the built-in embedder finds at least: it reaches 0.74, 0.50 and 0.47. */
const expected = { captions: 0.72, things: 0.46, classes: 0.43 };

const { uploads, captions, things, classes } = await readUnseen(values);
const embedder = await createEmbedderLoader(1)(await findReference(values.embedder));
const images = await embedAll(embedder, uploads, values.cache);

const found = {
  captions: await answer('captioned', captions),
  things: await answer(
    'captioned',
    things.filter(({ right }) => right.length > 1),
  ),
  classes: await answer('classes', classes),
};
const recalls = [1, 5, 10].map((depth) => format(recallAt(found.captions, depth)));
console.log(
  `${captions.length} captions of ${uploads[0]?.files.length} photographs: recall at 1 / 5 / 10: ${recalls.join(' / ')}\n`,
);
console.log('| precision at 10 | all | named often | sometimes | seldom or never |\n| --- | --- | --- | --- | --- |');
printByCommonness('things among the captioned photographs', found.things);
printByCommonness('classes among photographs of classes', found.classes);

expectQuality([
  { name: 'captions: recall at 10', value: recallAt(found.captions, 10), least: expected.captions },
  { name: 'things: precision at 10', value: precisionAt10(found.things), least: expected.things },
  { name: 'classes: precision at 10', value: precisionAt10(found.classes), least: expected.classes },
]);

async function answer<Query extends Judged>(group: string, queries: Query[]): Promise<(Query & Answer)[]> {
  const among = images.filter((image) => image.group === group);
  const answers: (Query & Answer)[] = [];
  for (const query of queries) {
    const { vector } = await embedder.embedText(query.query);
    const scored = among.map(({ file, vector: image }) => ({ file, similarity: vector ? dot(image, vector) : 0 }));
    scored.sort((a, b) => b.similarity - a.similarity);
    answers.push({ ...query, found: scored.slice(0, 10).map(({ file }) => file) });
  }
  return answers;
}

function printByCommonness(name: string, answers: (UnseenThing & Answer)[]): void {
  const cells = [answers, ...commonness.map((named) => answers.filter((each) => each.named === named))].map((some) =>
    some.length === 0 ? '–' : `${format(precisionAt10(some))} of ${some.length}`,
  );
  console.log(`| ${[`${answers.length} ${name}`, ...cells].join(' | ')} |`);
}

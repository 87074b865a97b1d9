import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Copy } from '../../contract/copies.ts';
import { probeVideo } from '../../packages/media/probe-video.ts';
import { makeVideo } from '../../packages/media/samples/draw-media.ts';
import { scenery } from '../../packages/media/testing/draw-scenery.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../server/testing/running-service.ts';
import { expectQuality } from './expected-quality.ts';
import { waitForItem } from './library.ts';
import { chooseSpan, type Film, fitted, type Kind, kinds, makeCopy } from './reuse/copies.ts';
import { writeFilm } from './reuse/write-film.ts';
import { createRandom } from './shot-films.ts';

/**
 * Whether the service finds where films are used again: copies that are cut, cropped, mirrored, letterboxed, quicker, graded, or in a compilation; and whether it keeps apart
 * films that only begin alike. By our HTTP API. The films are those of `reuse/films.tsv`, public ones that nobody had looked at when thresholds and rules were chosen: on the sample clips
 * (`packages/media/samples/files`), on synthetic pictures, and on 36 other films, which were in that table before. The table names family and origin of each film; films of one family show partly
 * the same, so what is found between them says nothing. Exits with 1 below the gates.
 *
 *     npm run node -- lab/bench/reuse.ts <folder of films> [<another> ...] [--pairs 300] [--intros 50] [--seed 1]
 *
 * - Recall: pairs of which the copy names its film, with spans that overlap what was used by half. Precision: of all relations that are found between any two items,
 *   those of items that share a film.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '300' },
    intros: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});

const [leastRecall, leastPrecision] = [0.95, 0.99];
const introKinds = 5;
const introSeconds = 4;

type Family = string;
type FamilyFilm = Film & { family: Family };
/** An uploaded item: what families are in it, and of a copy which film and which seconds of it. */
type Item = {
  name: string;
  families: Family[];
  copy?: { kind: Kind; film: string; start: number; end: number };
  intro?: number;
};

async function readFilms(): Promise<FamilyFilm[]> {
  const table = await readFile(path.join(import.meta.dirname, 'reuse', 'films.tsv'), 'utf8');
  const films: FamilyFilm[] = [];
  for (const line of table.trim().split('\n')) {
    const [name = '', family = ''] = line.split('\t');
    const file = positionals.map((folder) => path.join(folder, name)).find((each) => existsSync(each));
    if (file === undefined) throw new Error(`${name} is in none of the folders.`);
    await using probed = await probeVideo(file, new AbortController().signal);
    films.push({ file, family, seconds: probed.duration });
  }
  return films;
}

await using folder = await temporaryFolder();
await using service = await startTestService({ embedder: 'builtin', workers: 2 });
const { client } = service;
const random = createRandom(Number(values.seed));
const films = await readFilms();
const items = new Map<string, Item>();
const idOf = new Map<string, string>();

async function add(file: string, item: Item): Promise<void> {
  const { data } = await client.upload(file, `${item.name}${path.extname(file)}`);
  items.set(data.id, item);
  idOf.set(item.name, data.id);
}

const pick = <Each>(list: Each[]): Each => list[Math.floor(random() * list.length)] as Each;
/** Films of other families, all different. */
function pickOthers(film: FamilyFilm, count: number): FamilyFilm[] {
  const others: FamilyFilm[] = [];
  while (others.length < count) {
    const other = pick(films);
    if (other.family !== film.family && others.every(({ family }) => family !== other.family)) others.push(other);
  }
  return others;
}

for (const film of films) await add(film.file, { name: path.basename(film.file), families: [film.family] });
for (let i = 0; i < Number(values.pairs); i++) {
  const kind = kinds[i % kinds.length] as Kind;
  const film = films[Math.floor(i / kinds.length) % films.length] as FamilyFilm;
  const others = kind === 'compilation' ? pickOthers(film, 3) : [];
  const { parts, used } = makeCopy(kind, film, others, random);
  const name = `copy ${i} ${kind}`;
  const file = folder.file(`${name}.mp4`);
  await writeFilm(file, parts);
  const families = [film, ...others].map(({ family }) => family);
  await add(file, { name, families, copy: { kind, film: path.basename(film.file), ...used } });
}
for (let i = 0; i < Number(values.intros); i++) {
  const intro = folder.file(`intro ${i % introKinds}.mp4`);
  if (!existsSync(intro)) {
    await makeVideo(intro, { scenes: [{ paint: scenery(i), seconds: introSeconds }], width: 320, height: 180 });
  }
  const first = pick(films);
  for (const [side, film] of [first, ...pickOthers(first, 1)].entries()) {
    const name = `intro ${i} ${side}`;
    const file = folder.file(`${name}.mp4`);
    const opening = { source: intro, start: 0, end: introSeconds, filter: fitted };
    await writeFilm(file, [opening, { source: film.file, ...chooseSpan(film, random), filter: fitted }]);
    await add(file, { name, families: [film.family], intro: i });
  }
}
for (const id of items.keys()) await waitForItem(client, id);
while ((await service.db.selectFrom('jobs').select('kind').where('kind', '=', 'copies').execute()).length > 0) {
  await new Promise((resolve) => setTimeout(resolve, 500));
}

const tallies = new Map<string, { found: number; of: number }>(kinds.map((kind) => [kind, { found: 0, of: 0 }]));
let [relations, wrong, introsJoined] = [0, 0, 0];
for (const [id, item] of items) {
  const { data: copies } = await client.get<Copy[]>(`/media/${id}/copies`);
  for (const copy of copies) {
    const other = items.get(copy.item.id) as Item;
    relations += 1;
    if (item.intro !== undefined && item.intro === other.intro) introsJoined += 1;
    if (item.families.some((family) => other.families.includes(family))) continue;
    wrong += 1;
    console.error(`Wrong: ${item.name} – ${other.name}: ${JSON.stringify(copy.spans)}`);
  }
  if (!item.copy) continue;
  const { kind, film, start, end } = item.copy;
  const tally = tallies.get(kind) as { found: number; of: number };
  tally.of += 1;
  const found = copies.find((copy) => copy.item.id === idOf.get(film));
  const shared = (found?.spans ?? []).reduce(
    (sum, span) => sum + Math.max(0, Math.min(span.other_end, end) - Math.max(span.other_start, start)),
    0,
  );
  if (shared >= 0.5 * (end - start)) tally.found += 1;
  else
    console.error(
      `Missed: ${item.name} of ${film}, ${start.toFixed(1)}–${end.toFixed(1)}: ${JSON.stringify(found?.spans)}`,
    );
}
const all = [...tallies.values()].reduce((sum, { found, of }) => ({ found: sum.found + found, of: sum.of + of }));
console.log('| pairs | found | of |\n| --- | --- | --- |');
for (const [kind, { found, of }] of [...tallies, ['all', all] as const]) console.log(`| ${kind} | ${found} | ${of} |`);
console.log(
  `\nRelations: ${relations / 2}, between films that share nothing ${wrong / 2}; pairs with equal intros joined: ${introsJoined / 2} of ${values.intros}`,
);
expectQuality([
  { name: 'recall', value: all.found / all.of, least: leastRecall },
  { name: 'precision', value: 1 - wrong / Math.max(1, relations), least: leastPrecision },
  {
    name: 'pairs with equal intros kept apart',
    value: 1 - introsJoined / 2 / Math.max(1, Number(values.intros)),
    least: 1,
  },
]);

import { readdir, readFile, stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { dot } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createWorkspace } from '../../server/catalog/accounts/workspaces.ts';
import { openCatalog } from '../../server/catalog/open-catalog.ts';
import { requestCopies } from '../../server/catalog/reuse/fingerprints.ts';
import { writeFingerprint } from '../../server/catalog/reuse/write-fingerprint.ts';
import type { Catalog } from '../../server/catalog/schema.ts';
import { inWorkspace } from '../../server/catalog/transactions.ts';
import { createSecrets } from '../../server/platform/crypto/secrets.ts';
import { catalogFile } from '../../server/platform/storage/data-directory.ts';
import { createQueryPool } from '../../server/search/query-workers/query-pool.ts';
import { findCopies } from '../../server/search/reuse/find-copies.ts';
import { readFootage, startFindingCopies } from '../../server/search/reuse/start-finding-copies.ts';
import { startEmbeddedSearch } from '../../server/testing/memory-search.ts';
import { queryEmbedderOf } from '../../server/testing/query-embedder.ts';
import { seedChunks } from '../../server/testing/seed-chunks.ts';
import { expectQuality } from './expected-quality.ts';
import { processorTime } from './process-use.ts';
import {
  copyKinds,
  drawLibrary,
  itemSeconds,
  momentSeconds,
  perItem,
  readFrames,
  type SyntheticLibrary,
} from './reuse/synthetic-library.ts';
import { waitForIndex } from './seeded-service.ts';
import { openVectors, quantile } from './vectors.ts';

/**
 * How long it takes to find where footage is used again: of a new item, and of all items of a library with each other. Moments are near to real vectors and show frames mixed from
 * real films (`reuse/synthetic-library.ts`); which items are copies is known, so the answers are checked. What runs is what the service runs: the index of the nearest moments, the jobs, and
 * the processes that compare frames. Beside it, in the same run, the nearest moments by comparing all vectors. Exits with 1 beyond the gates: a new item within a second, all
 * within 60 seconds of wall time and of two cores, all copies found and nothing else.
 *
 *     npm run node -- lab/bench/reuse-speed.ts <folder of films> --vectors <file of float32> [--moments 100000] [--copies 200]
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    vectors: { type: 'string' },
    moments: { type: 'string', default: '100000' },
    copies: { type: 'string', default: '200' },
  },
});

const [mostForNew, mostForAll, cores] = [1, 60, 2];
const dimensions = 512;
const embedder = { ...queryEmbedderOf('bench@1', dimensions), hasMeasuredThresholds: true };
const [items, copies] = [Math.round(Number(values.moments) / perItem), Number(values.copies)];
/** New items of which each is timed alone, and those of which the nearest are found by comparing all. */
const [timed, compared] = [40, 3];
const { signal } = new AbortController();

/** Stores the library as indexing would. @returns the identifiers of its items */
async function storeLibrary(db: Catalog, workspaceId: string, library: SyntheticLibrary): Promise<string[]> {
  const numbers = await seedChunks(db, workspaceId, embedder.id, { count: items * perItem, perItem }, (place) => ({
    vector: library.vectorAt(Math.floor(place / perItem), place % perItem),
  }));
  await sql`update chunks set start_time = ${momentSeconds} * position, end_time = ${momentSeconds} * (position + 1)`.execute(
    db,
  );
  await db.updateTable('media_items').set({ duration: itemSeconds, width: 640, height: 360 }).execute();
  const rows = await db.selectFrom('chunks').select(['number', 'media_id']).execute();
  const itemOf = new Map(rows.map(({ number, media_id }) => [number, media_id]));
  const ids = Array.from({ length: items }, (_, item) => itemOf.get(numbers[item * perItem] as number) as string);
  for (let first = 0; first < items; first += 500) {
    await inWorkspace(db, workspaceId, async (transaction) => {
      for (const [i, id] of ids.slice(first, first + 500).entries())
        await writeFingerprint(transaction, { workspace_id: workspaceId, id }, library.fingerprintAt(first + i));
    });
  }
  return ids;
}

/** Processor time of this process and of those that it started, seconds. */
async function readProcessorTime(): Promise<number> {
  const own = process.cpuUsage();
  const threads = await readdir('/proc/self/task');
  const lists = await Promise.all(threads.map((each) => readFile(`/proc/self/task/${each}/children`, 'utf8')));
  const children = lists.flatMap((list) => list.trim().split(/\s+/)).filter((pid) => pid !== '');
  const times = await Promise.all(children.map((pid) => processorTime(Number(pid))));
  return (own.user + own.system) / 1e6 + times.reduce((sum, ms) => sum + ms, 0) / 1000;
}

async function measure<Result>(run: () => Promise<Result>) {
  const [began, used] = [performance.now(), await readProcessorTime()];
  const result = await run();
  return { result, wall: (performance.now() - began) / 1000, processor: (await readProcessorTime()) - used };
}

const source = await openVectors(values.vectors, dimensions);
const bases = (await stat(path.resolve(values.vectors ?? ''))).size / (Float32Array.BYTES_PER_ELEMENT * dimensions);
const [films = ''] = positionals;
const names = (await readdir(films)).filter((name) => /\.(mp4|mkv|webm|avi|mov)$/.test(name)).toSorted();
const frames = await readFrames(names.map((name) => path.join(films, name)));
const library = drawLibrary(frames, source, { items, copies, bases });

await using folder = await temporaryFolder();
const dataDirectory = folder.path;
const file = catalogFile(dataDirectory);
const db = await openCatalog(file);
const owners = { workspace: 'Bench', owner: 'Bench' };
const { id: workspaceId } = await createWorkspace(db, createSecrets(new Uint8Array(32)), owners);
const stored = await measure(() => storeLibrary(db, workspaceId, library));
const ids = stored.result;
const indexDirectory = path.join(dataDirectory, 'indexes');
const engine = startEmbeddedSearch({
  db,
  catalogFile: file,
  indexDirectory,
  getEmbedder: () => Promise.resolve(embedder),
  onProblem: (error) => {
    throw error;
  },
});
const search = Object.assign(engine, { getEmbedder: () => Promise.resolve(embedder) });
const queryPool = createQueryPool(dataDirectory, { file }, cores);
const nearestOf = (vectors: Float32Array[], leftOut: number[] = []) =>
  search.findNearest(workspaceId, embedder, vectors, { count: 60, least: -1, leftOut });

/** Compares an item with all others, as the job of a new one does. */
async function compare(place: number): Promise<void> {
  const mediaId = ids[place] as string;
  const footage = await readFootage(db, workspaceId, mediaId, embedder.id);
  if (!footage) throw new Error('An item has no fingerprint.');
  await findCopies({ db, search, queryPool, workspaceId, embedder, mediaId, signal }, footage);
}

/** Has all items compared by their jobs. @returns the pairs of places that show the same */
async function compareAll(): Promise<Set<string>> {
  await inWorkspace(db, workspaceId, (transaction) => requestCopies(transaction, workspaceId, ids));
  const log = { error: (problem: unknown) => console.error(problem) };
  const jobs = startFindingCopies({ db, search, queryPool, log });
  const countJobs = () =>
    db
      .selectFrom('jobs')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
  while ((await countJobs()).count > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  await jobs.stop();
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  const rows = await db.selectFrom('item_copies').select(['media_id', 'other_id']).execute();
  const places = rows.map(({ media_id, other_id }) => [placeOf.get(media_id)!, placeOf.get(other_id)!]);
  return new Set(places.map((pair) => pair.toSorted((a, b) => a - b).join(' ')));
}

const built = await measure(async () => {
  await nearestOf([library.vectorAt(0, 0)]);
  if (items * perItem >= 10_000) await waitForIndex(indexDirectory);
});
// The processes start with their first tasks.
await Promise.all([0, 1, 2, 3].map(compare));

const times: number[] = [];
const alone = await measure(async () => {
  for (let i = 0; i < timed; i++) times.push((await measure(() => compare(items - 1 - ((7 * i) % items)))).wall);
});
const all = await measure(compareAll);
const pairs = all.result;

/** The nearest moments of items by comparing all vectors one by one, and by the index. */
const everything = Array.from({ length: items * perItem }, (_, place) =>
  library.vectorAt(Math.floor(place / perItem), place % perItem),
);
const asked = Array.from({ length: compared * perItem }, (_, place) => everything[place] as Float32Array);
const brute = await measure(() =>
  Promise.resolve(asked.map((vector) => everything.map((other) => dot(vector, other)).filter((each) => each >= 0.7))),
);
const byIndex = await measure(() => nearestOf(asked));
await queryPool.stop();
await search.stop();
await db.destroy();

const tallies = copyKinds.map((kind) => {
  const expected = Array.from({ length: items }, (_, place) => ({ place, original: library.originalOf(place) }))
    .filter(({ original }) => original?.kind === kind)
    .map(({ place, original }) => `${original?.item} ${place}`);
  return { kind, expected, found: expected.filter((pair) => pairs.has(pair)).length };
});
const expected = new Set(tallies.flatMap((tally) => tally.expected));
const wrong = [...pairs].filter((pair) => !expected.has(pair));
console.log('| copies | found | of |\n| --- | --- | --- |');
for (const tally of tallies) console.log(`| ${tally.kind} | ${tally.found} | ${tally.expected.length} |`);
console.log(`\nOthers that were found: ${wrong.length} ${wrong.slice(0, 5).join(', ')}`);
const seconds = (value: number) => value.toFixed(3);
console.log('\n| | wall, s | processor, s |\n| --- | --- | --- |');
console.log(`| stored | ${seconds(stored.wall)} | ${seconds(stored.processor)} |`);
console.log(`| index built | ${seconds(built.wall)} | ${seconds(built.processor)} |`);
console.log(
  `| a new item, median / slowest | ${seconds(quantile(times, 0.5))} / ${seconds(Math.max(...times))} | ${seconds(alone.processor / timed)} |`,
);
console.log(`| all ${items} items | ${seconds(all.wall)} | ${seconds(all.processor)} |`);
console.log(
  `| nearest of ${asked.length} moments by the index | ${seconds(byIndex.wall)} | ${seconds(byIndex.processor)} |`,
);
console.log(`| the same by comparing all | ${seconds(brute.wall)} | ${seconds(brute.processor)} |`);
console.log(
  `\nThe index takes 1/${(brute.processor / byIndex.processor).toFixed(0)} of the processor time; load ${loadavg()[0]?.toFixed(1)}`,
);
expectQuality([
  {
    name: 'the share of copies that are found',
    value: tallies.reduce((sum, { found }) => sum + found, 0) / expected.size,
    least: 1,
  },
  { name: 'the share of what is found that is a copy', value: 1 - wrong.length / Math.max(1, pairs.size), least: 1 },
  { name: `${mostForNew} s by the time of a new item`, value: mostForNew / Math.max(...times), least: 1 },
  { name: `${mostForAll} s by the time of all`, value: mostForAll / all.wall, least: 1 },
  {
    name: `${cores * mostForAll} s by the processor time of all`,
    value: (cores * mostForAll) / all.processor,
    least: 1,
  },
]);

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { descriptorsReference } from '@media-search/models/load-embedder';
import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import { allSources } from '@media-search/search-engine/text/text-sources';
import { median } from '@media-search/search-engine/vectors';
import { operations } from '../../contract/operations.ts';
import { findChunksWithTexts } from '../../server/catalog/media/chunks.ts';
import { createHitMapper } from '../../server/http/endpoints/search.ts';
import { compileWhenSent, describeResponses } from '../../server/http/operations/response-schemas.ts';
import { createSecrets } from '../../server/platform/crypto/secrets.ts';
import { createStageTimer } from '../../server/platform/metrics/stage-timer.ts';
import { createTextEmbedders } from '../../server/search/embedding/text-embedders.ts';
import type { EngineHit } from '../../server/search/hits.ts';
import { hydrate } from '../../server/search/hydrate.ts';
import { createSearchEngine } from '../../server/search/search-engine.ts';
import { startMemoryRanker } from '../../server/testing/memory-search.ts';
import { expectQuality } from './expected-quality.ts';
import { startSearching } from './search-clients.ts';
import { textAt } from './search/corpus.ts';
import { leastSaved, queryAt, startSeededService, waitForIndex } from './seeded-service.ts';

/**
 * Where the time of a hybrid search over HTTP goes: the processor time of each thread, by stages.
 *
 * The service runs in a process of its own, its clients in another; the times of its threads are those that the kernel counts for them. What the
 * stages of the request thread take is measured here, by the same functions over the same database, each alone in a loop (URLs as they are once they were signed), so
 * what is beside them is HTTP: the connection, the key, limits, parameters. What the stages of the search thread take is what the thread reports of
 * each search (medians); the rest of its time is the hand-over and what is read for names. Queries are embedded by the descriptors, which takes next to
 * nothing, as one takes that is in the cache.
 *
 * Exits with 1 when a hit that holds a word of the query is shown without its text, when the same search gives other hits over HTTP, or when the request
 * thread takes more than `--most` ms of processor time a search.
 *
 *     npm run node -- lab/bench/search-stages.ts [--chunks 100000] [--seconds 6] [--most 1.5]
 */

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '6' },
    most: { type: 'string', default: '1.5' },
  },
});
const seconds = Number(values.seconds);
/** Hits of a page. */
const count = 20;
await using service = await startSeededService(Number(values.chunks));
const { url, key, db, workspaceId, catalogFile } = service;
const indexDirectory = path.join(service.folder, 'indexes');
const embedder = createTextEmbedders().createQueryEmbedder(descriptorsReference);
const getEmbedder = () => Promise.resolve(embedder);
const onProblem = (error: Error) => console.error(error);
const ranker = startMemoryRanker({ db, location: { file: catalogFile }, indexDirectory, getEmbedder, onProblem });
const engine = createSearchEngine({ db, ranker, getEmbedder });
await engine.warm(workspaceId);
if (Number(values.chunks) >= leastSaved) await waitForIndex(indexDirectory);

const secrets = createSecrets(new Uint8Array(32));
const serialize = compileWhenSent({ schema: describeResponses(operations.searchMedia)['2xx'] ?? {} });

/** Hits as a client gets them. */
const request = { workspaceId, protocol: 'http', host: '127.0.0.1', headers: {} } as const;
const toData = async (hits: EngineHit[]) =>
  hits.map(await createHitMapper({ db, secrets, publicUrl: null }, request, hits));

/** A search as a stage gets it, what the ranker answers, and what is shown. */
async function prepare(i: number) {
  const text = parseTextQuery(queryAt(i));
  const { vector } = await embedder.embedText(text.visualText);
  const asked = {
    vector,
    meaning: null,
    excludedVectors: [],
    text,
    sources: allSources,
    filter: {},
    options: { count, dedupe: false },
  };
  const ranked = await ranker.search(workspaceId, embedder, asked);
  if (!ranked) throw new Error('The embedder is not active.');
  const shown = { ...asked, count, corrections: ranked.corrections, isLabelled: ranked.isLabelled };
  const { hits } = await hydrate(db, workspaceId, ranked.hits, shown);
  return { asked, ranked, shown, hits, data: await toData(hits) };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;
const prepared: Prepared[] = [];
for (let i = 0; i < 500; i++) prepared.push(await prepare(i));

await checkHits();

/** The parts of the engine that are measured alone. */
const parts: Record<'whole' | 'ranker' | 'hits' | 'rows' | 'urls' | 'json', (i: number, of: Prepared) => unknown> = {
  whole: (i) => engine.searchByText(workspaceId, queryAt(i), {}, { count, dedupe: false, timer: createStageTimer() }),
  ranker: (_, { asked }) => ranker.search(workspaceId, embedder, asked),
  hits: (_, { ranked, shown }) => hydrate(db, workspaceId, ranked.hits, shown),
  urls: (_, { hits }) => toData(hits),
  json: (_, { data }) => Buffer.byteLength(serialize({ success: true, data })),
  rows(_, { ranked: { hits } }) {
    const read = hits.slice(0, count);
    const withTexts = read.filter(({ text }) => text !== undefined).map(({ number }) => number);
    return findChunksWithTexts(
      db,
      workspaceId,
      read.map(({ number }) => number),
      {},
      withTexts,
    );
  },
};
const taken = Object.fromEntries(Object.keys(parts).map((name) => [name, [] as number[]])) as Record<
  keyof typeof parts,
  number[]
>;
const searchThread: number[] = [];
/** By turns, so that all have the same neighbours on the machine. */
for (let turn = 0; turn < 5; turn++) {
  for (const [name, work] of Object.entries(parts) as [keyof typeof parts, (typeof parts)['whole']][]) {
    const before = readThreads(process.pid);
    const began = process.threadCpuUsage();
    for (const [i, each] of prepared.entries()) await work(i, each);
    const { user, system } = process.threadCpuUsage(began);
    taken[name].push((user + system) / 1000 / prepared.length);
    if (name === 'ranker') searchThread.push(spentSince(before, readThreads(process.pid), isSearch) / prepared.length);
  }
}
const reported = { vector: [] as number[], text: [] as number[], fuse: [] as number[] };
for (const [i] of prepared.entries()) {
  const { ranked } = await prepare(i);
  for (const [stage, times] of Object.entries(reported)) times.push(ranked.times[stage as keyof typeof reported] ?? 0);
}

const overHttp: Record<number, { request: number; search: number; others: number; rate: number }> = {};
for (const clients of [1, 16]) {
  const stop = await startSearching(url, key, clients);
  // Until the service runs compiled code.
  await new Promise((resolve) => setTimeout(resolve, 500 * seconds));
  const before = readThreads(service.pid);
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const after = readThreads(service.pid);
  const passed = (performance.now() - began) / 1000;
  const searched = await stop();
  const rate = searched.answered / searched.seconds;
  const spent = (isWanted: (name: string) => boolean) => spentSince(before, after, isWanted) / (rate * passed);
  overHttp[clients] = {
    rate,
    request: spent(isRequest),
    search: spent(isSearch),
    others: spent((name) => !isRequest(name) && !isSearch(name)),
  };
}
await engine.stop();

const one = overHttp[1] as (typeof overHttp)[number];
const of = Object.fromEntries(Object.entries(taken).map(([name, times]) => [name, Math.min(...times)])) as Record<
  keyof typeof parts,
  number
>;
const staged = Object.fromEntries(Object.entries(reported).map(([name, times]) => [name, median(times)])) as Record<
  keyof typeof reported,
  number
>;
const onSearch = Math.min(...searchThread);
const rows: [string, string, number][] = [
  ['request', 'HTTP: connection, key, limits, parameters', one.request - of.whole - of.urls - of.json],
  ['request', 'URLs', of.urls],
  ['request', 'JSON', of.json],
  [
    'request',
    'parsing, spelling, embedding, and what the parts cost beside one another',
    of.whole - of.ranker - of.hits,
  ],
  ['request', 'hand-over, both ways', of.ranker],
  ['request', 'reading 20 hits with texts', of.rows],
  ['request', 'excerpts', of.hits - of.rows],
  ['request', '**all**', one.request],
  ['search', 'vector', staged.vector],
  ['search', 'text', staged.text],
  ['search', 'fusion', staged.fuse],
  ['search', 'hand-over, garbage', onSearch - staged.vector - staged.text - staged.fuse],
  ['search', '**all**', onSearch],
];
console.log('| thread | stage | processor time, ms |\n| --- | --- | --- |');
for (const [thread, stage, ms] of rows) console.log(`| ${thread} | ${stage} | ${ms.toFixed(3)} |`);
console.log(
  '\n| clients | a second | request thread, ms | search threads | others (garbage, compiler) |\n| --- | --- | --- | --- | --- |',
);
for (const [clients, { rate, request, search, others }] of Object.entries(overHttp)) {
  console.log(
    `| ${clients} | ${rate.toFixed(0)} | ${[request, search, others].map((ms) => ms.toFixed(3)).join(' | ')} |`,
  );
}
expectQuality([
  {
    name: 'how much less than the most the request thread takes, ms',
    value: Number(values.most) - one.request,
    least: 0,
  },
]);

/** Compares hits over HTTP with those of the engine here, and their excerpts with the texts. */
async function checkHits(): Promise<void> {
  let [same, told, shown] = [0, 0, 0];
  const checked = prepared.slice(0, 50);
  const first = await firstNumber();
  for (const [i, { ranked }] of checked.entries()) {
    const { hits } = await engine.searchByText(
      workspaceId,
      queryAt(i),
      {},
      { count, dedupe: false, timer: createStageTimer() },
    );
    const { data } = await service.client.search(queryAt(i));
    if (hits.length === count && hits.map(({ chunk }) => chunk.id).join() === data.map((hit) => hit.chunk_id).join())
      same += 1;
    if (ranked.hits.slice(0, count).some(({ number }, place) => number !== hits[place]?.chunk.number)) same -= 1;
    for (const { chunk, signals } of hits) {
      const text = textAt(chunk.number - first);
      const isTold = queryAt(i)
        .split(' ')
        .some((word) => text.split(' ').includes(word));
      if (!isTold) continue;
      told += 1;
      if ((signals.excerpt ?? []).map((part) => part.text).join('') === text) shown += 1;
    }
  }
  expectQuality([
    { name: 'the share of searches with the same hits over HTTP', value: same / checked.length, least: 1 },
    { name: 'hits that hold a word', value: told, least: 50 },
    { name: 'the share of them that is shown with its text', value: shown / told, least: 1 },
  ]);
}

async function firstNumber(): Promise<number> {
  const { first } = await db
    .selectFrom('chunks')
    .select((e) => e.fn.min<number>('number').as('first'))
    .executeTakeFirstOrThrow();
  return first;
}

/** Of each thread of a process its name and the processor time that it has taken, ms, to the hundredth of a second. */
function readThreads(pid: number): Map<string, { name: string; ms: number }> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((thread) => {
      const line = readFileSync(`${folder}/${thread}/stat`, 'utf8');
      const end = line.lastIndexOf(')');
      const fields = line.slice(end + 2).split(' ');
      return [
        thread,
        { name: line.slice(line.indexOf('(') + 1, end), ms: 10 * (Number(fields[11]) + Number(fields[12])) },
      ];
    }),
  );
}

function spentSince(
  before: ReturnType<typeof readThreads>,
  after: ReturnType<typeof readThreads>,
  isWanted: (name: string) => boolean,
): number {
  const spent = [...after]
    .filter(([, { name }]) => isWanted(name))
    .map(([thread, { ms }]) => ms - (before.get(thread)?.ms ?? 0));
  return spent.reduce((sum, ms) => sum + ms, 0);
}

function isRequest(name: string): boolean {
  return name === 'MainThread';
}

function isSearch(name: string): boolean {
  return name.startsWith('search ');
}

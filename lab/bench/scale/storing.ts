import { randomUUIDv7 } from 'node:crypto';
import type { IndexedMedia } from '@media-search/indexing/indexed-media';
import { median } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createRandom } from '../../../packages/search-engine/testing/random.ts';
import { createWorkspace } from '../../../server/catalog/accounts/workspaces.ts';
import { openCatalogAt, serviceOptions } from '../../../server/catalog/catalog-location.ts';
import { dialectOf } from '../../../server/catalog/dialect/dialect.ts';
import { readEmbeddings } from '../../../server/catalog/media/chunk-views.ts';
import { addMedia } from '../../../server/catalog/media/media-items.ts';
import { completeIndexing } from '../../../server/catalog/queue/indexing-jobs.ts';
import { claimJob, type Job } from '../../../server/catalog/queue/job-queue.ts';
import type { Catalog } from '../../../server/catalog/schema.ts';
import { createSecrets } from '../../../server/platform/crypto/secrets.ts';
import { countStatements } from '../../../server/testing/count-statements.ts';
import { temporaryDatabase, testDatabaseUrl } from '../../../server/testing/temporary-database.ts';
import { processorTime } from '../process-use.ts';

/**
 * What it takes to store what indexing found: an item of 600 chunks with vectors of 512 dimensions, five views of each and a subtitle for each,
 * on SQLite and on PostgreSQL by turns. What is stored is read again and compared.
 */

const chunkCount = 600;
const dimensions = 512;
const viewCount = 5;
const embedderId = 'bench@1';
const warmUpRounds = 3;
/** Storing may take so many times the time of SQLite, in processor time of this process and in all. */
const wantedRatio = 1.5;

/** An item as indexing finds it, of words that are distributed as in a language (Zipf). */
function makeIndexed(seed: number): IndexedMedia {
  const random = createRandom(seed);
  const vector = () => {
    const made = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
    const norm = Math.hypot(...made);
    return made.map((value) => value / norm);
  };
  const word = () => `w${Math.floor(5000 ** random.next())}`;
  return {
    type: 'video',
    mimeType: 'video/mp4',
    duration: chunkCount,
    width: 1920,
    height: 1080,
    poster: 'poster.webp',
    placeholder: '3OcRJYB4d3h/iIeHeEh3eIhw+j2w',
    rendition: null,
    fingerprint: [],
    rating: null,
    tags: '',
    recording: {
      takenAt: null,
      takenZone: null,
      takenText: null,
      takenSource: null,
      camera: null,
      latitude: null,
      longitude: null,
      place: null,
    },
    details: { container: 'MP4' },
    warning: null,
    texts: Array.from({ length: chunkCount }, (_, i) => ({
      source: 'subtitle',
      track: 0,
      language: 'en',
      start: i,
      end: i + 1,
      text: Array.from({ length: 8 }, word).join(' '),
    })),
    chunks: Array.from({ length: chunkCount }, (_, i) => ({
      start: i,
      end: i + 1,
      thumbnail: `chunk-${i}.webp`,
      blank: false,
      embeddings: [{ embedderId, vector: vector(), views: Array.from({ length: viewCount }, vector) }],
    })),
  };
}

type Measured = {
  /** Processor time of this process, and of the server's for its connections; 0 where there is none. */
  cpuMs: number;
  serverMs: number;
  /** In all. */
  ms: number;
  statements: number;
};

/** Processor time that the server's processes have used for this one's connections, milliseconds; 0 for SQLite. Linux only, on the same machine. */
async function readServerMs(db: Catalog): Promise<number> {
  if (dialectOf(db).name === 'sqlite') return 0;
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'media-search'`.execute(
    db,
  );
  const times = await Promise.all(rows.map(({ pid }) => processorTime(pid)));
  return times.reduce((sum, time) => sum + time, 0);
}

async function addItem(db: Catalog, workspaceId: string, place: number): Promise<Job<'index'>> {
  await addMedia(
    db,
    {
      workspace_id: workspaceId,
      id: randomUUIDv7(),
      filename: `${place}.mp4`,
      type: 'video',
      mime_type: 'video/mp4',
      size: 1000,
      sha256: String(place).padStart(64, '0'),
      creator_id: null,
      category_id: null,
    },
    () => Promise.resolve(),
  );
  const job = await claimJob(db, 'bench');
  if (job?.kind !== 'index') throw new Error('The job of the new item was not claimed.');
  return job;
}

async function store(db: Catalog, job: Job<'index'>, indexed: IndexedMedia): Promise<Measured> {
  const counted = countStatements(db);
  const serverBefore = await readServerMs(db);
  const before = process.cpuUsage();
  const begun = performance.now();
  const outcome = await completeIndexing(counted.db, job, indexed);
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  if (outcome !== 'complete') throw new Error(`The item ended as ${outcome}.`);
  const serverMs = (await readServerMs(db)) - serverBefore;
  return { cpuMs: (user + system) / 1000, serverMs, ms, statements: counted.count() };
}

/** Compares what is stored with what was given. Throws where they differ. */
async function check(db: Catalog, job: Job, indexed: IndexedMedia): Promise<void> {
  const { rows } = await sql<{ number: number; place: number; start_time: number; texts: string }>`
    select chunks.number, chunks.position as place, chunks.start_time, text_segments.text as texts from chunks
    join chunk_segments on chunk_segments.workspace_id = chunks.workspace_id and chunk_number = chunks.number
    join text_segments on text_segments.workspace_id = chunks.workspace_id and text_segments.number = segment_number
    where chunks.workspace_id = ${job.workspace_id} and chunks.media_id = ${job.id} order by chunks.position`.execute(
    db,
  );
  const numbers = rows.map(({ number }) => number);
  const stored = await readEmbeddings(db, job.workspace_id, embedderId, numbers);
  const isSame =
    rows.length === chunkCount &&
    rows.every(({ number, place, start_time, texts }, i) => {
      const given = indexed.chunks[i]?.embeddings[0];
      const found = stored.get(number);
      const near = (a: Float32Array | undefined, b: Float32Array | undefined, cosine: number) =>
        a !== undefined && b !== undefined && a.reduce((sum, value, j) => sum + value * (b[j] ?? 0), 0) > cosine;
      return (
        place === i &&
        start_time === i &&
        texts === indexed.texts[i]?.text &&
        near(given?.vector, found?.vector, 0.9998) &&
        found?.views?.length === viewCount &&
        found.views.every((view, v) => near(given?.views[v], view, 0.999))
      );
    });
  if (!isSame) throw new Error(`What ${dialectOf(db).name} stored is not what was given.`);
  if (dialectOf(db).name === 'sqlite') return;
  const { rows: found } = await sql<{ waiting: number; indexed: number; terms: number }>`
    select (select count(*) from text_changes where workspace_id = ${job.workspace_id}) as waiting,
      (select cardinality(chunks) from text_items where workspace_id = ${job.workspace_id} and media_id = ${job.id}) as indexed,
      (select sum(held) from text_postings where workspace_id = ${job.workspace_id}) as terms`.execute(db);
  if (found[0]?.waiting !== 0 || found[0].indexed !== chunkCount || found[0].terms < chunkCount)
    throw new Error(`The texts are not indexed: ${JSON.stringify(found[0])}.`);
}

/** Prints medians, and the ratio to SQLite, of storing items of 600 chunks by turns. Fails where what is stored is wrong, or takes longer than it may. */
export async function measureStoring(rounds = 12): Promise<void> {
  await using folder = await temporaryFolder();
  await using database = testDatabaseUrl === undefined ? undefined : await temporaryDatabase();
  await using sqlite = await openCatalogAt({ file: folder.file('catalog.db') }, serviceOptions);
  await using postgres = database && (await openCatalogAt({ url: database.url }, serviceOptions));
  const catalogs = await Promise.all(
    [sqlite, ...(postgres ? [postgres] : [])].map(async (db) => {
      const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'W', owner: 'O' });
      return { db, workspaceId: id, results: [] as Measured[] };
    }),
  );
  for (let round = 0; round < rounds; round++) {
    const indexed = makeIndexed(round);
    // As autovacuum does within a minute: a plan for an empty table reads all of it.
    if (round === warmUpRounds && postgres) await sql`analyze`.execute(postgres);
    for (const { db, workspaceId, results } of catalogs) {
      const job = await addItem(db, workspaceId, round);
      results.push(await store(db, job, indexed));
      await check(db, job, indexed);
    }
  }
  const table = catalogs.map(({ db, results }) => {
    const of = (value: (each: Measured) => number) => median(results.slice(warmUpRounds).map(value));
    return {
      catalog: dialectOf(db).name,
      cpuMs: of(({ cpuMs }) => cpuMs),
      // In ticks of 10 ms, so the sum.
      serverMs:
        results.slice(warmUpRounds).reduce((sum, each) => sum + each.serverMs, 0) / (results.length - warmUpRounds),
      ms: of(({ ms }) => ms),
      statements: of(({ statements }) => statements),
    };
  });
  console.log(
    `an item of ${chunkCount} chunks, stored\ncatalog\tms of processor time of this process\tof the server\tms\tstatements`,
  );
  for (const { catalog, cpuMs, serverMs, ms, statements } of table)
    console.log([catalog, cpuMs.toFixed(1), serverMs.toFixed(1), ms.toFixed(1), statements].join('\t'));
  const [first, second] = table;
  if (!first || !second) return;
  const ratios = { cpu: (second.cpuMs + second.serverMs) / first.cpuMs, all: second.ms / first.ms };
  console.log(`ratio\t${ratios.cpu.toFixed(2)} of both\t\t${ratios.all.toFixed(2)}`);
  if (Math.max(ratios.cpu, ratios.all) > wantedRatio) {
    console.log(`missed: at most ${wantedRatio}`);
    process.exitCode = 1;
  }
}

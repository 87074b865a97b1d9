import type { JoinedPassage, PassageLine } from '@media-search/indexing/join-passages';
import { sql } from 'kysely';
import type { TextSource } from '../../../contract/texts.ts';
import { columnNames } from '../dialect/column-names.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { dequantize, quantize } from '../media/vector-bytes.ts';
import { endJob, type Job } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { completePassages } from './passage-states.ts';

/**
 * Passages of texts with vectors by what they mean: joined from the lines of an item (`packages/indexing/join-passages.ts`), and embedded by the sentence model, in a job of its own.
 * Each belongs to one chunk, whose hit it is.
 */

type Owner = { workspace_id: string; id: string };

/** Numbers in a vector of the sentence model. */
const dimensions = 384;

/** What the passages of an item are made from: its lines, each source and track in order of time, and its chunks in order of time. */
export async function readPassageMaterial(
  db: Catalog,
  { workspace_id, id }: Owner,
): Promise<{ lines: PassageLine[]; chunks: { number: number; start: number; end: number }[] }> {
  const lines = await db
    .selectFrom('text_segments')
    .select(['number', 'source', 'track', 'language', 'start_time as start', 'end_time as end', 'text', 'confidence'])
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .orderBy('source')
    .orderBy('track', (order) => order.asc().nullsFirst())
    .orderBy('start_time')
    .orderBy('number')
    .execute();
  const chunks = await db
    .selectFrom('chunks')
    .select(['number', 'start_time as start', 'end_time as end'])
    .where('workspace_id', '=', workspace_id)
    .where('media_id', '=', id)
    .orderBy('position')
    .execute();
  return { lines, chunks };
}

/** The vectors of an item's present passages by their texts, so that what was embedded once is not again. */
export async function readKnownVectors(
  db: Catalog,
  { workspace_id, id }: Owner,
  model: string,
): Promise<Map<string, Float32Array>> {
  const rows = await db
    .selectFrom('text_passages')
    .innerJoin('passage_states', (join) =>
      join
        .onRef('passage_states.workspace_id', '=', 'text_passages.workspace_id')
        .onRef('passage_states.media_id', '=', 'text_passages.media_id'),
    )
    .select(['text_passages.text', 'text_passages.vector'])
    .where('text_passages.workspace_id', '=', workspace_id)
    .where('text_passages.media_id', '=', id)
    .where('passage_states.model', '=', model)
    .execute();
  return new Map(rows.map(({ text, vector }) => [text, fromBytes(vector)]));
}

/** A passage to be stored: with its chunk, and its unit vector. */
export type NewPassage = JoinedPassage & { chunk: number; vector: Float32Array };

const columns = {
  workspace_id: 'text',
  media_id: 'text',
  chunk_number: 'integer',
  segment_number: 'integer',
  source: 'text',
  language: 'text',
  start_time: 'real',
  end_time: 'real',
  confidence: 'real',
  text: 'text',
  vector: 'bytes',
} as const;

/**
 * Puts passages in the place of an item's earlier ones and ends its job, all at once.
 * @param model what embedded them
 * @returns false, storing nothing, when the lease is lost: the texts have changed meanwhile, or another attempt stores its own
 */
export function storePassages(
  db: Catalog,
  job: Job<'passages'>,
  passages: NewPassage[],
  model: string,
): Promise<boolean> {
  return endJob(db, job, async (transaction) => {
    await transaction
      .deleteFrom('text_passages')
      .where('workspace_id', '=', job.workspace_id)
      .where('media_id', '=', job.id)
      .execute();
    const rows = passages.map((passage) => ({
      workspace_id: job.workspace_id,
      media_id: job.id,
      chunk_number: passage.chunk,
      segment_number: passage.segment,
      source: passage.source,
      language: passage.language,
      start_time: passage.start,
      end_time: passage.end,
      confidence: passage.confidence,
      text: passage.text,
      vector: quantize([passage.vector]),
    }));
    if (rows.length > 0) {
      await sql`insert into text_passages (${columnNames(columns)})
        ${dialectOf(transaction).rowsIn(columns, rows)}`.execute(transaction);
    }
    await completePassages(transaction, job, model);
  });
}

/** The passages of some items as search indexes hold them, by item. */
export async function listPassagesForIndex(
  db: Catalog,
  workspaceId: string,
  mediaIds: string[],
): Promise<Map<string, { number: number; chunk: number; source: TextSource }[]>> {
  const rows = await db
    .selectFrom('text_passages')
    .select(['media_id', 'number', 'chunk_number', 'source'])
    .where('workspace_id', '=', workspaceId)
    .where('media_id', 'in', dialectOf(db).textsIn(mediaIds))
    .orderBy('number')
    .execute();
  const found = new Map(mediaIds.map((id) => [id, [] as { number: number; chunk: number; source: TextSource }[]]));
  for (const { media_id, number, chunk_number, source } of rows) {
    found.get(media_id)?.push({ number, chunk: chunk_number, source });
  }
  return found;
}

/** The vectors of passages by their numbers, unit length but for rounding to 8 bits. */
export async function readPassageVectors(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
): Promise<Map<number, Float32Array>> {
  const { numbersIn, withoutIndex } = dialectOf(db);
  const rows = await db
    .selectFrom('text_passages')
    .select(['number', 'vector'])
    .where(withoutIndex('workspace_id'), '=', workspaceId)
    .where('number', 'in', numbersIn(numbers))
    .execute();
  return new Map(rows.map(({ number, vector }) => [number, fromBytes(vector)]));
}

/** What a hit shows of a passage. */
export type ShownPassage = {
  source: TextSource;
  language: string | null;
  start: number | null;
  end: number | null;
  confidence: number | null;
  text: string;
};

/** Passages by their numbers; those that are gone are left out. */
export async function readPassages(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
): Promise<Map<number, ShownPassage>> {
  if (numbers.length === 0) return new Map();
  const { numbersIn, withoutIndex } = dialectOf(db);
  const rows = await db
    .selectFrom('text_passages')
    .select(['number', 'source', 'language', 'start_time as start', 'end_time as end', 'confidence', 'text'])
    .where(withoutIndex('workspace_id'), '=', workspaceId)
    .where('number', 'in', numbersIn(numbers))
    .execute();
  return new Map(rows.map(({ number, ...passage }) => [number, passage]));
}

const fromBytes = (bytes: Uint8Array): Float32Array => dequantize(bytes, dimensions)[0] as Float32Array;

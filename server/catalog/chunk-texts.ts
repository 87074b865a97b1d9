import { sql } from 'kysely';
import { numbersIn } from './dialect.ts';
import type { Catalog } from './schema.ts';

/** Relevance of a chunk's texts: BM25; words in file names and tags count double. */
const bm25Relevance = sql<number>`-bm25(chunk_texts, 1.0, 2.0, 2.0)`;

/** Chunks by number with their relevance, whether these are all matches, and their share of the chunks that were searched. */
export type TextRanking = { relevances: Map<number, number>; isComplete: boolean; matchedFraction: number };

/**
 * Full-text search over chunk text, file names and tags, in all workspaces. Ranking takes as long as there are chunks that match, so
 * where there are more than `window` it is of the newest, and of the newest of those whose file name or tags match.
 * @param match an FTS5 expression that is known to be well-formed
 */
export async function rankChunkTexts(db: Catalog, match: string, window: number): Promise<TextRanking> {
  const newest = await rankNewestMatches(db, match, window);
  const isComplete = newest.length < window;
  const named = isComplete ? [] : await rankNewestMatches(db, `{filename tags} : (${match})`, window);
  const [first, last] = [newest[0]?.number ?? 0, newest.at(-1)?.number ?? 0];
  return {
    relevances: new Map([...named, ...newest].map(({ number, relevance }) => [number, relevance])),
    isComplete,
    matchedFraction: newest.length / (first - last + 1),
  };
}

async function rankNewestMatches(db: Catalog, match: string, limit: number) {
  const { rows } = await sql<{ number: number; relevance: number }>`
    select rowid as number, ${bm25Relevance} as relevance from chunk_texts
    where chunk_texts match ${match} order by rowid desc limit ${limit}
  `.execute(db);
  return rows;
}

/** Those of some chunks whose texts a full-text expression matches, with their relevance. Each takes a few hundredths of a millisecond. */
export async function matchChunkTexts(
  db: Catalog,
  match: string,
  numbers: number[],
): Promise<{ number: number; relevance: number }[]> {
  const { rows } = await sql<{ number: number; relevance: number }>`
    select rowid as number, ${bm25Relevance} as relevance from chunk_texts
    where chunk_texts match ${match} and rowid in ${numbersIn(numbers)}
  `.execute(db);
  return rows;
}

/** With at least this many segments the full-text index is merged into one. A search reads each segment. */
const maxSegments = 8;
/** Pages merged in one transaction; other writers can write between two transactions. */
const pagesPerMerge = 500;

/**
 * Merges the full-text index once it consists of many segments, which accumulate over time: a lookup of some chunks then takes a
 * quarter of the time. Meant for idle time.
 * @see https://www.sqlite.org/fts5.html#the_merge_command
 */
export async function mergeTextIndex(db: Catalog): Promise<void> {
  if ((await countSegments(db)) < maxSegments) return;
  // A negative number includes all segments in one merge, which the following calls continue.
  let written = await mergePages(db, -pagesPerMerge);
  while (written > 1) written = await mergePages(db, pagesPerMerge);
}

async function countSegments(db: Catalog): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(distinct segid) as count from chunk_texts_idx`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Rows that a merge step wrote; fewer than two when nothing was left to merge. */
async function mergePages(db: Catalog, pages: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const before = await countChanges(transaction);
    await sql`insert into chunk_texts (chunk_texts, rank) values ('merge', ${pages})`.execute(transaction);
    return (await countChanges(transaction)) - before;
  });
}

async function countChanges(db: Catalog): Promise<number> {
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The texts by which some chunks are found. */
export async function readChunkTexts(db: Catalog, numbers: number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('chunk_texts')
    .select(['rowid', 'text', 'filename', 'tags'])
    .where('rowid', 'in', numbersIn(numbers))
    .execute();
  return new Map(rows.map(({ rowid, text, filename, tags }) => [rowid, `${text}\n${filename}\n${tags}`]));
}

/** A piece of text, and whether it matched the search. */
export type ExcerptPart = { text: string; matched: boolean };

/** The passages of chunks that a full-text expression matched, about twenty words each, by chunk number. */
export async function readExcerpts(db: Catalog, match: string, numbers: number[]): Promise<Map<number, ExcerptPart[]>> {
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<{ rowid: number; excerpt: string }>`
    select rowid, snippet(chunk_texts, -1, '⟦', '⟧', '…', 20) as excerpt from chunk_texts
    where chunk_texts match ${match} and rowid in ${numbersIn(numbers)}
  `.execute(db);
  return new Map(rows.map(({ rowid, excerpt }) => [rowid, toExcerptParts(excerpt)]));
}

/** Splits a marked text at its markers, rare brackets around each match. */
export function toExcerptParts(excerpt: string): ExcerptPart[] {
  // A split by a capture group puts the text between matches at even positions and the matches at odd ones.
  return excerpt
    .split(/⟦([^⟦⟧]*)⟧/)
    .map((text, i) => ({ text, matched: i % 2 === 1 }))
    .filter(({ text }) => text !== '');
}

import { sql } from 'kysely';
import { numbersIn } from './chunks.ts';
import type { Catalog } from './schema.ts';

/** Relevance of a chunk's texts: BM25, words in file names and tags counting double. */
const relevanceOf = sql<number>`-bm25(chunk_texts, 1.0, 2.0, 2.0)`;

/** Chunks by number with their relevance, and whether these are all that match. */
export type TextRanking = { relevances: Map<number, number>; all: boolean };

/**
 * Full-text search over chunk text, file names and tags, in all workspaces. Ranking takes as long as there are chunks that match, so
 * where there are more than `window` it is of the newest, and of the newest of those whose file name or tags match.
 * @param match an FTS5 expression that is known to be well-formed
 */
export async function rankChunkTexts(db: Catalog, match: string, window: number): Promise<TextRanking> {
  const newest = await rankNewest(db, match, window);
  const all = newest.length < window;
  const named = all ? [] : await rankNewest(db, `{filename tags} : (${match})`, window);
  return { relevances: new Map([...named, ...newest].map(({ number, relevance }) => [number, relevance])), all };
}

async function rankNewest(db: Catalog, match: string, limit: number) {
  const { rows } = await sql<{ number: number; relevance: number }>`
    select rowid as number, ${relevanceOf} as relevance from chunk_texts
    where chunk_texts match ${match} order by rowid desc limit ${limit}
  `.execute(db);
  return rows;
}

/** Those of some chunks whose texts a full-text expression matches, with their relevance. Each takes some hundredths of a millisecond. */
export async function matchChunkTexts(
  db: Catalog,
  match: string,
  numbers: number[],
): Promise<{ number: number; relevance: number }[]> {
  const { rows } = await sql<{ number: number; relevance: number }>`
    select rowid as number, ${relevanceOf} as relevance from chunk_texts
    where chunk_texts match ${match} and rowid in ${numbersIn(numbers)}
  `.execute(db);
  return rows;
}

/** A piece of text, and whether it is what a search matched. */
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

/** Takes the rare brackets away that stand around what matched. */
function toExcerptParts(excerpt: string): ExcerptPart[] {
  return excerpt
    .split(/(⟦[^⟧]*⟧)/)
    .filter((text) => text !== '')
    .map((text) => (text.startsWith('⟦') ? { text: text.slice(1, -1), matched: true } : { text, matched: false }));
}

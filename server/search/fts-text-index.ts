import { matchChunkTexts, rankChunkTexts, readChunkTexts, readExcerpts } from '../catalog/chunk-texts.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { TextExpression, TextIndex } from './text-index.ts';

/**
 * The text index in the catalog: one FTS5 table for all workspaces. Its rankings therefore hold chunks of other workspaces, and its term
 * frequencies are those of all.
 */
export const createFtsTextIndex = (db: Catalog): TextIndex => ({
  rank: (_workspaceId, expression, window) => rankChunkTexts(db, toFts(expression), window),
  async match(_workspaceId, expression, numbers) {
    const likely = await keepLikely(db, expression, numbers);
    const matches = likely.length > 0 ? await matchChunkTexts(db, toFts(expression), likely) : [];
    return new Map(matches.map(({ number, relevance }) => [number, relevance]));
  },
  excerpts: (_workspaceId, expression, numbers) => readExcerpts(db, toFts(expression), numbers),
});

/**
 * An FTS5 expression. Each term is quoted, so that user input is never parsed as syntax.
 * @see https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
export function toFts(expression: TextExpression): string {
  if ('any' in expression) return expression.any.map(quote).join(' OR ');
  return 'all' in expression ? expression.all.map(quote).join(' AND ') : `${quote(expression.prefix)}*`;
}

const quote = (term: string): string => `"${term.replaceAll('"', '""')}"`;

/**
 * Those of some chunks that may match. Most texts contain none of the terms, and reading a text costs much less than a lookup in the
 * full-text index.
 */
async function keepLikely(db: Catalog, expression: TextExpression, numbers: number[]): Promise<number[]> {
  if (numbers.length === 0 || !('any' in expression)) return numbers;
  const prefixes = expression.any.map(stemPrefix);
  const texts = await readChunkTexts(db, numbers);
  return numbers.filter((number) => {
    const text = fold(texts.get(number) ?? '');
    return prefixes.some((prefix) => text.includes(prefix));
  });
}

/**
 * What all words with the same stem as the first word of a term begin with. Porter's stemmer changes the end of a word, never this much
 * of its start.
 */
function stemPrefix(term: string): string {
  const [word = ''] = /[\p{L}\p{N}]+/u.exec(fold(term)) ?? [];
  if (/\d/.test(word)) return word;
  return word.slice(0, word.length > 4 ? 3 : 2);
}

/** Normalises a text as the full-text index does: without case and diacritics. */
const fold = (text: string): string => text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

import type { ExcerptPart, TextRanking } from '../catalog/chunk-texts.ts';

/** What a text must contain: any of some terms, all of them, or a word with a prefix. A term is a word or a phrase. */
export type TextExpression = { any: string[] } | { all: string[] } | { prefix: string };

/**
 * The full texts of chunks (subtitles, chapter titles, file names, tags). The workspace comes first in every call, so that an index may be
 * split by workspace. All methods are asynchronous, so that an index may live in another thread or in a database.
 */
export type TextIndex = {
  /**
   * The chunks that match, with their relevance (BM25, above 0). It may name chunks that a filter excludes, or that are not in the
   * workspace: the caller shows only what its selection holds.
   * @param window the most matches that are ranked
   */
  rank(workspaceId: string, expression: TextExpression, window: number): Promise<TextRanking>;
  /** Those of some chunks that match, with their relevance. */
  match(workspaceId: string, expression: TextExpression, numbers: number[]): Promise<Map<number, number>>;
  /** The passages that matched, about twenty words each, by chunk number. */
  excerpts(workspaceId: string, expression: TextExpression, numbers: number[]): Promise<Map<number, ExcerptPart[]>>;
};

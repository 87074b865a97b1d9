import { readLexicon } from '@media-search/languages/lexicon';
import { type TranslatedQuery, translateQuery } from '@media-search/languages/translate-query';
import { once } from '@media-search/models/once';
import type { Spelling } from '@media-search/search-engine/spelling/spelling';
import type { TextQuery } from '@media-search/search-engine/text/text-query';
import type { QueryEmbedder } from './embedding/text-embedders.ts';

/** Read at the first search, once for the process. */
const lexicon = once(readLexicon);

/** A query whose words are searched for as they are written. */
export const untranslated = (text: TextQuery): TranslatedQuery => ({ text, translated: [], unknown: [] });

/**
 * Translates a query for a workspace's embedder. Models that are downloaded may know other languages, so what the lexicon lacks stays in what they read.
 * @param query as it was written
 */
export async function translate(
  text: TextQuery,
  query: string,
  { spelling, embedder }: { spelling: Spelling; embedder: QueryEmbedder['kind'] },
): Promise<TranslatedQuery> {
  return translateQuery(await lexicon(), text, query, embedder === 'semantic' ? null : spelling.isForeign);
}

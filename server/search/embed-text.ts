import type { TextEmbedding } from '@media-search/models/embedder';
import type { QueryEmbedder } from './embedding/text-embedders.ts';

/** The embedding of a query; `problem` says why the embedder could not be run. */
export type EmbeddedText = TextEmbedding & { problem: string | null };

/** Embeds a query. An embedder that fails must not make the search by text fail as well. */
export async function embedText(embedder: QueryEmbedder, query: string): Promise<EmbeddedText> {
  // A model would give a vector to an empty query, too.
  if (query === '') return { vector: null, unknown: [], problem: null };
  try {
    return { ...(await embedder.embedText(query)), problem: null };
  } catch (error) {
    return { vector: null, unknown: [], problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The vector of a query in the space of passages of texts, from its embedding where that has it. Null where nothing can be read. */
export async function embedMeaning(
  embedder: QueryEmbedder,
  query: string,
  embedded?: EmbeddedText,
): Promise<Float32Array | null> {
  if (query === '') return null;
  return embedded?.sentence === undefined ? embedder.embedSentence(query) : embedded.sentence;
}

import type { Embedder, Moment } from '../models/embedder.ts';
import type { IndexedChunk } from './indexed-media.ts';

/** Embeds chunks with each of the embedders. @returns for each chunk a vector of each */
export async function embedWithAll(embedders: Embedder[], chunks: Moment[][]): Promise<IndexedChunk['vectors'][]> {
  const byEmbedder: { embedderId: string; vectors: Float32Array[] }[] = [];
  for (const embedder of embedders) {
    byEmbedder.push({ embedderId: embedder.id, vectors: await embedder.embedChunks(chunks) });
  }
  return chunks.map((_, i) =>
    byEmbedder.map(({ embedderId, vectors }) => ({ embedderId, vector: vectors[i] as Float32Array })),
  );
}

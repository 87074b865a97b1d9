import type { EmbeddedChunk, Embedder, Moment, RgbImage } from '../models/embedder.ts';
import { cropImage } from './crop-image.ts';
import type { ChunkEmbedding, IndexedChunk } from './indexed-media.ts';

/** Embeds spans of a video with each of the embedders. @returns for each span an embedding of each */
export async function embedSpansWithAll(
  embedders: Embedder[],
  spans: Moment[][],
): Promise<IndexedChunk['embeddings'][]> {
  const embeddings: IndexedChunk['embeddings'][] = spans.map(() => []);
  for (const embedder of embedders) {
    for (const [i, embedding] of (await embedSpans(embedder, spans)).entries()) {
      embeddings[i]?.push({ embedderId: embedder.id, ...embedding });
    }
  }
  return embeddings;
}

/** Embeds spans of a video. Their views are their moments; a single moment would repeat the whole. */
export async function embedSpans(embedder: Embedder, spans: Moment[][]): Promise<ChunkEmbedding[]> {
  const embedded = await embedder.embedChunks(spans);
  return embedded.map(({ vector, moments }) => ({ vector, views: moments.length > 1 ? moments : [] }));
}

/** Embeds a photograph. Its views are crops, so that what is small in it or near its border counts in rerank. */
export async function embedImage(embedder: Embedder, image: RgbImage): Promise<ChunkEmbedding> {
  const images = [image, ...cropImage(image, embedder.cropCount)];
  const [whole, ...crops] = await embedder.embedChunks(images.map((each) => [{ image: each, next: null }]));
  return { vector: (whole as EmbeddedChunk).vector, views: crops.map(({ vector }) => vector) };
}

import { cropImage } from '@media-search/media/crop-image';
import type { DecodedImage } from '@media-search/media/decode-image';
import { frameMoments, framePhoto } from '@media-search/media/framing/frame-media';
import type { Moment } from '@media-search/media/rgb-image';
import type { ChunkSound, EmbeddedChunk, Embedder } from '@media-search/models/embedder';
import { meanDirection } from '@media-search/search-engine/vectors';
import type { ChunkEmbedding, IndexedChunk } from './indexed-media.ts';

/** Embeds spans of a video, with their sounds, with each of the embedders. @returns for each span an embedding of each */
export async function embedSpansWithAll(
  embedders: Embedder[],
  spans: Moment[][],
  sounds: ChunkSound[],
): Promise<IndexedChunk['embeddings'][]> {
  const embeddings: IndexedChunk['embeddings'][] = spans.map(() => []);
  for (const embedder of embedders) {
    for (const [i, embedding] of (await embedSpans(embedder, spans, sounds)).entries()) {
      embeddings[i]?.push({ embedderId: embedder.id, ...embedding });
    }
  }
  return embeddings;
}

/**
 * Embeds spans of a video, each of one shot: what is inside of their borders, and a picture inside of that. Their views are their moments; a single
 * moment would repeat the whole.
 * @param sounds of the spans; each is heard with the whole of its span
 */
export async function embedSpans(
  embedder: Embedder,
  spans: Moment[][],
  sounds: ChunkSound[] = [],
): Promise<ChunkEmbedding[]> {
  const embeddings: ChunkEmbedding[] = [];
  for (const [i, moments] of spans.entries()) {
    const embedded = await embedder.embedChunks(frameMoments(moments), [sounds[i] ?? null]);
    const views = embedded.flatMap((each) => each.moments);
    embeddings.push({ vector: joined(embedded), views: views.length > 1 ? views : [], ...joinedThings(embedded) });
  }
  return embeddings;
}

/**
 * Embeds a photograph: what is inside of its border, and the pictures inside of that. Its views are these pictures; otherwise crops, so that what is small
 * in it or near its border counts in rerank.
 */
export async function embedPhoto(embedder: Embedder, photo: DecodedImage): Promise<ChunkEmbedding> {
  const [first, ...pictures] = await framePhoto(photo, embedder.maxPhotoSide);
  const parts = pictures.length > 0 ? pictures : cropImage(first, embedder.cropCount);
  const embedded = await embedder.embedChunks([first, ...parts].map((image) => [{ image, next: null }]));
  const views = embedded.slice(1).map(({ vector }) => vector);
  const wholes = pictures.length > 0 ? embedded : embedded.slice(0, 1);
  return { vector: joined(wholes), views, ...joinedThings(wholes) };
}

/** One vector for an image and the pictures inside of it. A single one stays as it is. */
const joined = (embedded: EmbeddedChunk[]): Float32Array =>
  embedded.length === 1 ? (embedded[0] as EmbeddedChunk).vector : meanDirection(embedded.map(({ vector }) => vector));

/** What was seen in an image and in the pictures inside of it: frames one after the other. */
function joinedThings(embedded: EmbeddedChunk[]): Pick<ChunkEmbedding, 'things'> {
  const seen = embedded.flatMap(({ things }) => (things ? [things] : []));
  return seen.length > 0 ? { things: Buffer.concat(seen) } : {};
}

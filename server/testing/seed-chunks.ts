import { randomUUID } from 'node:crypto';
import { dialectOf } from '../catalog/dialect/dialect.ts';
import type { Catalog } from '../catalog/schema.ts';

export type SeededChunk = { vector: Float32Array; text?: string };

/** Rows written between two turns of the event loop. */
const batchSize = 5000;

/**
 * Stores chunks as indexing would, without any media: videos of `perItem` chunks, a second each.
 * @returns the numbers of the chunks, in order
 */
export async function seedChunks(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  { count, perItem }: { count: number; perItem: number },
  chunkAt: (place: number) => SeededChunk,
): Promise<number[]> {
  const numbers: number[] = [];
  let mediaId = '';
  for (let first = 0; first < count; first += batchSize) {
    await db.transaction().execute(async (transaction) => {
      for (let i = first; i < Math.min(count, first + batchSize); i++) {
        if (i % perItem === 0) mediaId = await addItem(transaction, workspaceId, Math.min(perItem, count - i));
        const { vector, text } = chunkAt(i);
        const span = { start: i % perItem, end: (i % perItem) + 1 };
        const { number } = await transaction
          .insertInto('chunks')
          .values({
            workspace_id: workspaceId,
            id: randomUUID(),
            media_id: mediaId,
            position: i % perItem,
            start_time: span.start,
            end_time: span.end,
            thumbnail_file: 'none.webp',
          })
          .returning('number')
          .executeTakeFirstOrThrow();
        await storeVector(transaction, workspaceId, embedderId, number, vector);
        if (text) await storeText(transaction, workspaceId, mediaId, number, { ...span, text });
        numbers.push(number);
      }
    });
  }
  return numbers;
}

async function addItem(db: Catalog, workspaceId: string, chunkCount: number): Promise<string> {
  const id = randomUUID();
  const now = new Date().toISOString();
  await db
    .insertInto('media_items')
    .values({
      workspace_id: workspaceId,
      id,
      filename: 'seeded.mp4',
      type: 'video',
      status: 'complete',
      size: 1,
      mime_type: 'video/mp4',
      sha256: id,
      chunk_count: chunkCount,
      duration: chunkCount,
      created_at: now,
      updated_at: now,
      indexed_at: now,
    })
    .execute();
  return id;
}

async function storeVector(
  db: Catalog,
  workspace_id: string,
  embedder_id: string,
  chunk_number: number,
  vector: Float32Array,
): Promise<void> {
  const row = { workspace_id, chunk_number, embedder_id, vector: dialectOf(db).vector(vector) };
  await db.insertInto('chunk_vectors').values(row).execute();
}

/** Stores a subtitle of a chunk. */
async function storeText(
  db: Catalog,
  workspace_id: string,
  media_id: string,
  chunk_number: number,
  { start, end, text }: { start: number; end: number; text: string },
): Promise<void> {
  const { number: segment_number } = await db
    .insertInto('text_segments')
    .values({ workspace_id, media_id, source: 'subtitle', start_time: start, end_time: end, text })
    .returning('number')
    .executeTakeFirstOrThrow();
  await db.insertInto('chunk_segments').values({ workspace_id, chunk_number, segment_number }).execute();
}

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { dialectOf } from '../catalog/dialect/dialect.ts';
import type { Catalog } from '../catalog/schema.ts';
import { inWorkspace } from '../catalog/transactions.ts';

export type SeededChunk = { vector: Float32Array; text?: string };

/** Items written between two turns of the event loop hold about so many chunks. */
const batchSize = 5000;

/**
 * Stores chunks as indexing would, without any media: videos of `perItem` chunks, a second each. The text of a chunk is a subtitle.
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
  const step = Math.max(1, Math.floor(batchSize / perItem)) * perItem;
  for (let first = 0; first < count; first += step) {
    const places = Array.from({ length: Math.min(step, count - first) }, (_, i) => first + i);
    const batch = places.map((place) => ({ position: place % perItem, ...chunkAt(place) }));
    await inWorkspace(db, workspaceId, async (transaction) => {
      const items = await addItems(transaction, workspaceId, batch.length, perItem);
      const itemOf = (i: number) => items[Math.floor(i / perItem)] as string;
      const chunks = batch.map(({ position, ...chunk }, i) => ({ position, mediaId: itemOf(i), ...chunk }));
      const added = await addChunks(transaction, workspaceId, chunks);
      await addVectors(transaction, workspaceId, embedderId, added);
      await addTexts(transaction, workspaceId, added);
      for (const { number } of added) numbers.push(number);
    });
  }
  return numbers;
}

type NewChunk = SeededChunk & { mediaId: string; position: number };
type AddedChunk = NewChunk & { number: number };

async function addItems(db: Catalog, workspaceId: string, chunkCount: number, perItem: number): Promise<string[]> {
  const now = new Date().toISOString();
  const rows = Array.from({ length: Math.ceil(chunkCount / perItem) }, (_, i) => {
    const id = randomUUID();
    const chunks = Math.min(perItem, chunkCount - i * perItem);
    return { workspace_id: workspaceId, id, sha256: id, chunk_count: chunks, duration: chunks, now };
  });
  const { rowsIn } = dialectOf(db);
  const columns = {
    workspace_id: 'text',
    id: 'text',
    sha256: 'text',
    chunk_count: 'integer',
    duration: 'real',
    now: 'text',
  } as const;
  await sql`
    with given (workspace_id, id, sha256, chunk_count, duration, now) as (${rowsIn(columns, rows)})
    insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, chunk_count, duration,
      created_at, updated_at, indexed_at)
    select workspace_id, id, 'seeded.mp4', 'video', 'complete', 1, 'video/mp4', sha256, chunk_count, duration, now, now, now
    from given
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Adds chunks, with numbers in their order. */
async function addChunks(db: Catalog, workspaceId: string, chunks: NewChunk[]): Promise<AddedChunk[]> {
  const rows = chunks.map(({ mediaId, position }) => ({
    workspace_id: workspaceId,
    id: randomUUID(),
    media_id: mediaId,
    position,
    start_time: position,
    end_time: position + 1,
    thumbnail_file: 'none.webp',
  }));
  const columns = {
    workspace_id: 'text',
    id: 'text',
    media_id: 'text',
    position: 'integer',
    start_time: 'real',
    end_time: 'real',
    thumbnail_file: 'text',
  } as const;
  const added = await sql<{ id: string; number: number }>`
    insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file)
    ${dialectOf(db).rowsIn(columns, rows)} returning id, number
  `.execute(db);
  const numbers = new Map(added.rows.map(({ id, number }) => [id, number]));
  return chunks.map((chunk, i) => ({ ...chunk, number: numbers.get((rows[i] as { id: string }).id) as number }));
}

async function addVectors(db: Catalog, workspaceId: string, embedderId: string, chunks: AddedChunk[]): Promise<void> {
  const rows = chunks.map(({ number, vector }) => ({
    workspace_id: workspaceId,
    chunk_number: number,
    embedder_id: embedderId,
    vector,
  }));
  const columns = { workspace_id: 'text', chunk_number: 'integer', embedder_id: 'text', vector: 'vector' } as const;
  await sql`
    insert into chunk_vectors (workspace_id, chunk_number, embedder_id, vector) ${dialectOf(db).rowsIn(columns, rows)}
  `.execute(db);
}

/** Stores the subtitles of chunks. */
async function addTexts(db: Catalog, workspaceId: string, chunks: AddedChunk[]): Promise<void> {
  const lines = chunks.flatMap(({ mediaId, position, number, text }) =>
    text ? [{ workspace_id: workspaceId, media_id: mediaId, position, number, text }] : [],
  );
  if (lines.length === 0) return;
  const { rowsIn } = dialectOf(db);
  const columns = {
    workspace_id: 'text',
    media_id: 'text',
    source: 'text',
    start_time: 'real',
    end_time: 'real',
    text: 'text',
  } as const;
  const segments = lines.map(({ position, number: _number, ...line }) => ({
    ...line,
    source: 'subtitle',
    start_time: position,
    end_time: position + 1,
  }));
  const added = await sql<{ number: number; media_id: string; start_time: number }>`
    insert into text_segments (workspace_id, media_id, source, start_time, end_time, text)
    ${rowsIn(columns, segments)} returning number, media_id, start_time
  `.execute(db);
  const segmentOf = new Map(added.rows.map((row) => [`${row.media_id} ${row.start_time}`, row.number]));
  const links = lines.map(({ media_id, position, number }) => ({
    workspace_id: workspaceId,
    chunk_number: number,
    segment_number: segmentOf.get(`${media_id} ${position}`) as number,
  }));
  await sql`
    insert into chunk_segments (workspace_id, chunk_number, segment_number)
    ${rowsIn({ workspace_id: 'text', chunk_number: 'integer', segment_number: 'integer' }, links)}
  `.execute(db);
}

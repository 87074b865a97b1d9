import { randomUUIDv7 } from 'node:crypto';
import type { IndexedMedia } from '@media-search/indexing/indexed-media';
import type { FileTags } from '@media-search/media/file-tags';
import { sql } from 'kysely';
import type { MediaDetails } from '../../../contract/media-details.ts';
import { columnNames } from '../dialect/column-names.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { enqueueReembedIfNeeded, removeUnusedVectors } from '../embedders.ts';
import { removeNull } from '../remove-null.ts';
import { storeFingerprint } from '../reuse/fingerprints.ts';
import type { Catalog } from '../schema.ts';
import { linkSegments, replaceLines } from '../texts/text-segments.ts';
import { inWorkspace } from '../transactions.ts';
import { storeEmbeddings } from './chunk-views.ts';
import type { MediaRow } from './media-items.ts';
import { unlessSet } from './set-date.ts';
import { unlessTakenOut } from './stacks.ts';

/**
 * The columns of an item that indexing fills in.
 * @param token fencing token that names the folder of the renditions
 */
export function toIndexedColumns(indexed: IndexedMedia, token: number) {
  const now = new Date().toISOString();
  return {
    type: indexed.type,
    mime_type: indexed.mimeType,
    duration: indexed.duration,
    width: indexed.width,
    height: indexed.height,
    tags: removeNull(indexed.tags),
    ...toTagColumns(indexed),
    stack_key: unlessTakenOut(indexed.stackKey ?? null),
    chunk_count: indexed.chunks.length,
    poster_file: indexed.poster,
    placeholder: indexed.placeholder,
    rendition_file: indexed.rendition?.file ?? null,
    rendition_mime_type: indexed.rendition?.mimeType ?? null,
    renditions_token: token,
    warning_code: indexed.warning?.code ?? null,
    warning_message: indexed.warning?.message ?? null,
    updated_at: now,
    indexed_at: now,
  };
}

/** The columns of an item that what its file says of itself fills in. */
const toTagColumns = ({ recording, details }: FileTags) => ({
  ...unlessSet({ ...recording, takenText: removeNull(recording.takenText) }),
  camera: removeNull(recording.camera),
  latitude: recording.latitude,
  longitude: recording.longitude,
  place: removeNull(recording.place),
  details: JSON.stringify(details),
  ...toDetailColumns(details),
});

/** The columns that filters and counts compare of the technical details. */
export const toDetailColumns = ({ video, audio, image }: MediaDetails) => ({
  lens: removeNull(image?.lens ?? video?.lens ?? null),
  codec: removeNull(video?.codec ?? null),
  frame_rate: video?.frame_rate ?? null,
  sound: audio ? ('yes' as const) : ('no' as const),
});

/** Stores the chunks of an item with their texts and vectors, and deletes its earlier ones. Recognised texts stay, and are linked to the new chunks. */
export async function replaceChunks(db: Catalog, media: MediaRow, indexed: IndexedMedia): Promise<void> {
  await db
    .deleteFrom('chunks')
    .where('workspace_id', '=', media.workspace_id)
    .where('media_id', '=', media.id)
    .execute();
  const numbers = await insertChunks(db, media, indexed);
  const embeddings = indexed.chunks.flatMap((chunk, position) =>
    chunk.embeddings.map((embedding) => ({ ...embedding, chunkNumber: numbers.get(position) ?? 0 })),
  );
  await storeEmbeddings(db, media.workspace_id, embeddings, 'new');
  await replaceLines(db, media, indexed.texts);
  const spans = indexed.chunks.map(({ start, end }, position) => ({ start, end, number: numbers.get(position) ?? 0 }));
  await linkSegments(db, media, ['subtitle', 'chapter', 'ocr', 'speech'], spans);
  await storeFingerprint(db, media, indexed.fingerprint);
}

const chunkColumns = {
  workspace_id: 'text',
  id: 'text',
  media_id: 'text',
  position: 'integer',
  start_time: 'real',
  end_time: 'real',
  thumbnail_file: 'text',
  blank: 'integer',
} as const;

/** @returns the numbers of the chunks by their positions */
async function insertChunks(db: Catalog, media: MediaRow, { chunks }: IndexedMedia): Promise<Map<number, number>> {
  const rows = chunks.map((chunk, position) => ({
    workspace_id: media.workspace_id,
    id: randomUUIDv7(),
    media_id: media.id,
    position,
    start_time: chunk.start,
    end_time: chunk.end,
    thumbnail_file: chunk.thumbnail,
    blank: chunk.blank ? 1 : 0,
  }));
  const { rows: inserted } = await sql<{ number: number; position: number }>`
    insert into chunks (${columnNames(chunkColumns)})
    ${dialectOf(db).rowsIn(chunkColumns, rows)} returning number, position
  `.execute(db);
  return new Map(inserted.map(({ number, position }) => [position, number]));
}

/** The warning of an item's transcription stays: its sound is not read again. */
const keptWarning = ({ warning_code, warning_message }: MediaRow, { warning }: IndexedMedia) =>
  warning_code === 'audio_damaged' && warning === null ? { warning_code, warning_message } : {};

/**
 * Replaces everything that was derived from a complete item by the result of indexing it again. From this commit on searches find the new
 * chunks.
 * @param token fencing token that names the folder of the new renditions
 * @returns false, storing nothing, when the item was deleted or indexed again by another process
 */
export function replaceIndexedMedia(
  db: Catalog,
  media: MediaRow,
  indexed: IndexedMedia,
  token: number,
): Promise<boolean> {
  return inWorkspace(db, media.workspace_id, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('media_items')
      .set({ ...toIndexedColumns(indexed, token), ...keptWarning(media, indexed) })
      .where('workspace_id', '=', media.workspace_id)
      .where('id', '=', media.id)
      .where('status', '=', 'complete')
      .where('indexed_at', '=', media.indexed_at)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await replaceChunks(transaction, media, indexed);
    // The target may have changed since the vectors were computed.
    await enqueueReembedIfNeeded(transaction, media, indexed.chunks);
    await removeUnusedVectors(transaction, media);
    return true;
  });
}

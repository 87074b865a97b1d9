import type { Generated } from 'kysely';

/** What a search finds. */
export type ChunkTables = {
  chunks: {
    /** Key of the search indexes. Never reused after a delete. */
    number: Generated<number>;
    workspace_id: string;
    id: string;
    media_id: string;
    position: number;
    start_time: number;
    end_time: number;
    thumbnail_file: string;
    /** 1: it is black, white or frozen throughout, so it is never a highlight. */
    blank: Generated<number>;
  };
  chunk_vectors: {
    /** Grows with each stored vector, so that an index can read the new ones. */
    sequence: Generated<number>;
    workspace_id: string;
    chunk_number: number;
    embedder_id: string;
    /** Unit length. As bytes by `vectorBytes` and `decodeVector` of the dialect: float32 in SQLite, float16 in PostgreSQL. */
    vector: Uint8Array;
  };
  /** One row for each of `chunk_vectors`, with which it is deleted; vectors of earlier versions may have none. */
  chunk_views: {
    workspace_id: string;
    chunk_number: number;
    embedder_id: string;
    /** Vectors of the moments of a video chunk or of the crops of a photograph, 8 bits per dimension: see `../media/chunk-views.ts`. */
    vectors: Uint8Array;
    /** What its detector saw, as `encodeFrames` of `@media-search/models/builtin/things/frame-things` writes it; empty: not known. */
    things: Generated<Uint8Array>;
  };
};

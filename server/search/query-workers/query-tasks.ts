import type { SizedFile } from '@media-search/media/encode-image';
import type { StillSource } from '@media-search/media/write-still';
import type { EmbedderReference } from '@media-search/models/embedder';
import type { MediaFilter } from '../../../contract/filters.ts';
import type { OutlierMethod } from '../../../contract/highlights.ts';
import type { MediaType } from '../../../contract/media.ts';
import type { ChunkMap, MapTask } from '../highlights/kept-map.ts';
import type { findChunkConcepts } from '../highlights/lay-out-chunks.ts';
import type { FilteredRanking } from '../highlights/rank-chunks.ts';
import type { compareFingerprints, CopiesTask } from '../reuse/compare-fingerprints.ts';
import type { ReadFootage } from './read-footage.ts';

/** What the worker process needs to know; it reads it from its arguments. */
export type QueryWorkerOptions = { dataDirectory: string };

/** Where a span of media is: the file that seeks best, and from when to when it counts. */
export type MediaSpan = { path: string; type: MediaType; mimeType: string; start: number; end: number };

export type QueryTask =
  /** Embeds an image file that is a query, together with `words` where there are some and the embedder composes. */
  | { kind: 'image'; path: string; embedder: EmbedderReference; words?: string | undefined }
  /** Embeds one moment of a stored video, `at` seconds from its start; `words` as with an image. */
  | { kind: 'moment'; path: string; at: number; embedder: EmbedderReference; words?: string | undefined }
  /** Embeds the parts of a span that indexing would keep vectors of. */
  | { kind: 'views'; span: MediaSpan; embedder: EmbedderReference }
  /** Reads some frames of a span for a vision-language model. */
  | { kind: 'frames'; span: MediaSpan }
  /** Reads what a video shows at a time, seconds from its start, or an image, as JPEG of at most that width. */
  | { kind: 'frame'; source: StillSource; at: number; width: number }
  /** Writes a photograph as WebP in some sizes (longest sides in pixels), without what its file says of itself. */
  | { kind: 'scaled photo'; source: string; mimeType: string; sizes: SizedFile[] }
  /** Ranks the chunks behind a filter by how unusual they are. */
  | { kind: 'outliers'; workspaceId: string; embedderId: string; filter: MediaFilter; method: OutlierMethod }
  /** Brings the kept rankings of all chunks of a workspace up to date. */
  | { kind: 'rankings'; workspaceId: string; embedderId: string; file: string }
  /** Lays the chunks behind a filter out in two dimensions. */
  | ({ kind: 'map' } & MapTask)
  /** Reads a video or a photograph by which others are looked for. */
  | { kind: 'footage'; path: string; embedder: EmbedderReference }
  /** Compares a fingerprint with those of some items. */
  | ({ kind: 'copies' } & CopiesTask)
  /** Compares all chunks of a workspace with concepts. */
  | ({ kind: 'concepts'; count: number } & Parameters<typeof findChunkConcepts>[1]);

export type QueryResult = {
  /** Vectors of the image, or what is inside of its border, and of the pictures inside of that. */
  image: number[][];
  moment: number[][];
  views: number[][];
  /** JPEG in base64, in order of time. */
  frames: string[];
  /** JPEG in base64. */
  frame: string;
  outliers: FilteredRanking;
  rankings: null;
  map: ChunkMap;
  concepts: Awaited<ReturnType<typeof findChunkConcepts>>;
  footage: ReadFootage;
  copies: Awaited<ReturnType<typeof compareFingerprints>>;
  'scaled photo': null;
};

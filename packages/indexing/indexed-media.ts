import type { FileTags } from '@media-search/media/file-tags';
import type { MediaLimits } from '@media-search/media/media-limits';
import type { TimedLine } from '@media-search/media/subtitles';
import type { Embedder } from '@media-search/models/embedder';
import type { IndexingStage, MediaType } from '../../contract/media.ts';
import type { Fingerprint } from './reuse/fingerprint.ts';

export type IndexingTask = {
  /** The original on disk. */
  path: string;
  filename: string;
  /** An empty folder that exists; thumbnails, poster and rendition are written into it. */
  outputDirectory: string;
  /** The target embedder; during a change also the active one. */
  embedders: Embedder[];
  /** A video beyond these limits is refused; without them all of it is read. */
  limits?: MediaLimits;
  /** Whether a video that browsers play as it is gets a small version too, for when the original is away. */
  wantsPreview?: boolean;
  /** Called once with the duration that a video's container states, before the work begins. Throws when it is too long. */
  checkDuration: (seconds: number) => Promise<void>;
  /** Called often; `fraction` (0..1, of the whole task) never falls. */
  onProgress: (stage: IndexingStage, fraction: number) => void;
  signal: AbortSignal;
  /** Called for each packet of a video that is read. */
  onAdvance?: (() => void) | undefined;
};

/** What an embedder made of a chunk: unit vectors. */
export type ChunkEmbedding = {
  /** Of the whole: what is searched. */
  vector: Float32Array;
  /** Of its parts, which rerank compares as well: the moments of a video's chunk, the crops of a photograph. */
  views: Float32Array[];
  /** What its detector saw in its moments, or in the photograph; absent where the embedder has none. */
  things?: Uint8Array;
};

export type IndexedChunk = {
  /** Seconds; both 0 for an image. `0 <= start < end <= duration` for a video; in order, no two overlap, and none spans two shots. */
  start: number;
  end: number;
  /** File name within the output directory. */
  thumbnail: string;
  /** Whether all of it is black or white, as between two scenes, or a frozen frame in a film that moves. It is no highlight. */
  blank: boolean;
  /** One of each of the task's embedders; none for a recording, in which nothing is seen. */
  embeddings: ({ embedderId: string } & ChunkEmbedding)[];
};

/** A text that a file holds beside its pictures and its sound, counted from the first frame. */
export type TextLine = TimedLine & {
  source: 'subtitle' | 'chapter';
  /** Index of the subtitle's stream in the file, or of the file beside it from `firstSidecarTrack` on; null for a chapter. */
  track: number | null;
  /** BCP 47; null: unknown. */
  language: string | null;
};

export type IndexedMedia = FileTags & {
  type: MediaType;
  mimeType: string;
  /** Seconds, null for an image. */
  duration: number | null;
  /** Pixels as displayed: rotation and pixel aspect applied. Of a recording those of its picture. */
  width: number;
  height: number;
  /** File name within the output directory. */
  poster: string;
  /** ThumbHash of the poster in base64. */
  placeholder: string;
  /** What a browser can play or show when it cannot the original: a file within the output directory. Null: the original. */
  rendition: { file: string; mimeType: string } | null;
  /** What is wrong with the file although it could be indexed; null when nothing is. */
  warning: { code: 'truncated_media' | 'audio_damaged'; message: string } | null;
  chunks: IndexedChunk[];
  /** Subtitles and chapter titles. */
  texts: TextLine[];
  /** By what it is recognised in other items. */
  fingerprint: Fingerprint;
};

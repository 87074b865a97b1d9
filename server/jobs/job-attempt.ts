import type { TextReading } from '@media-search/media/extracted-text';
import type { MediaLimits } from '@media-search/media/media-limits';
import type { Reading } from '@media-search/media/read-packets';
import type { Embedder, EmbedderReference } from '@media-search/models/embedder';
import type { WorkerAssets } from '../assets/asset-rpc.ts';
import type { ExtractionJob } from '../catalog/queue/extraction-jobs.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ExtractionSource } from '../catalog/tables/texts.ts';
import type { Scratch } from '../platform/storage/scratch.ts';

/** What a reader is given. */
export type ReadingTask = Reading & {
  /** The original on disk. */
  path: string;
  /** Its item. */
  media: Pick<ExtractionJob, 'id' | 'type' | 'mime_type' | 'duration' | 'width' | 'height'>;
  /** Where to begin, seconds: what comes before is stored. */
  position: number;
  /** Lines of text that the file has in each of its subtitle tracks, by the index of the stream; null: it was not stored. */
  subtitleLines: Map<number | null, number>;
};

/** Recognises the text of one source. It knows nothing of the catalog. */
export type TextReader = (task: ReadingTask) => TextReading;

/** What a worker hands to the handlers of its jobs. */
export type JobContext = {
  db: Catalog;
  assets: WorkerAssets;
  scratch: Scratch;
  log: Record<'info' | 'warn' | 'error', (details: object, message?: string) => void>;
  loadEmbedder: (reference: EmbedderReference) => Promise<Embedder>;
  /** What new items are embedded with. */
  target: EmbedderReference;
  limits: MediaLimits;
  /** How much processor time indexing a file of so many bytes may take, seconds. */
  processorSecondsFor: (bytes: number) => number;
  /** What recognises text; null for what this service does not read. */
  readers: Record<ExtractionSource, TextReader | null>;
};

/** One attempt at a job. */
export type Attempt = {
  /** Aborted when the lease is lost or the worker stops. */
  signal: AbortSignal;
  /** Ends the attempt, because its lease is lost. */
  onLeaseLost: () => void;
  /** Call it whenever the work advances: a worker that does not advance for minutes is ended. */
  onAdvance: () => void;
  /** Call it when an item was indexed. @param mediaSeconds how long its video is; 0 for an image */
  onIndexed: (mediaSeconds: number) => void;
  /** Whether its worker is there for those that wait behind another. */
  isRelief: boolean;
  /** Whether a more urgent job waits. A long job asks now and then, and throws `StoppedError`. */
  shouldYield: () => Promise<boolean>;
  /** Whether it has run for as long as a turn is. */
  hasHadTurn: () => boolean;
  /** Whether another workspace, which is served less, waits for its turn. A long job asks now and then, as above. */
  isTurnOver: () => Promise<boolean>;
};

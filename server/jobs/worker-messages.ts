import type { MediaLimits } from '@media-search/media/media-limits';
import type { EmbedderReference } from '@media-search/models/embedder';
import type { SpeechModel } from '@media-search/models/speech/speech-models';
import type { HeldJob } from '../catalog/queue/job-queue.ts';
import type { EndedJob } from '../platform/metrics/metrics.ts';

/** The first argument of a worker process, as JSON. */
export type WorkerOptions = {
  id: string;
  dataDirectory: string;
  /** For what it renders: of this process's service alone. */
  scratchDirectory: string;
  /** Whether the service lends it the files, which are not in the data folder. */
  borrowsAssets: boolean;
  logLevel: string;
  /** What everything is to be embedded with. */
  target: EmbedderReference;
  limits: MediaLimits;
  /** What recognises text on screen: the setting `OCR`. */
  ocr: string;
  /** What recognises speech; null: nothing does. */
  speech: SpeechModel | null;
  /** Threads that a model may use. */
  threads: number;
  /** The job of another worker behind which jobs wait that this one is here for; null: for any, as long as the service runs. */
  relieves: HeldJob | null;
};

/** `wake`: there may be a job. `stop`: release the running job and exit. */
export type ToWorker = 'wake' | 'stop';

/** `begun`, `advanced`, `ended`: progress of the running job. A worker that sends nothing for minutes during a job hangs. */
export type FromWorker =
  | { kind: 'begun'; job: HeldJob }
  | { kind: 'advanced' }
  | { kind: 'ended'; workspaceId: string; attempt: EndedJob };

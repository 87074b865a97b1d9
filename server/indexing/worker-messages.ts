import type { EmbedderReference } from '../models/embedder.ts';
import type { MediaLimits } from './indexed-media.ts';

/** What a worker process is told at its start, as JSON in its first argument. */
export type WorkerOptions = {
  id: string;
  dataDirectory: string;
  logLevel: string;
  /** What everything is to be embedded with. */
  target: EmbedderReference;
  limits: MediaLimits;
  /** Threads that a model may use. */
  threads: number;
};

/** `wake`: there may be a job. `stop`: put the job in hand back and end. */
export type ToWorker = 'wake' | 'stop';

/** `begun`, `advanced`, `ended`: what happens to the job in hand; a worker that is busy and silent for long hangs. */
export type FromWorker = { kind: 'begun' | 'advanced' } | { kind: 'ended'; workspaceId: string };

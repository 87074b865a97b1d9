import type { MediaItem } from '../../api/generated/api/index.ts';

export type Upload = {
  key: number;
  /** What was chosen or dropped together, and gets the same labels. */
  batch: number;
  file: File;
  /** What the file gets besides. */
  labels: UploadLabels;
  /** Those with which its sending began; null before. */
  sentLabels: UploadLabels | null;
  /**
   * `hashing`: the browser computes the checksum, by which the service is asked whether it has the file. `interrupted`: the connection
   * broke or the service was away; the upload is retried after a delay. `paused`: by the person, alone; all together pause by the queue.
   * `indexing`: the service has it, but searches do not find it yet.
   */
  state: 'queued' | 'hashing' | 'sending' | 'interrupted' | 'paused' | 'indexing' | 'ready' | 'failed' | 'cancelled';
  /** Whether the service was asked for the same checksum. */
  checked: boolean;
  /** Bytes hashed so far. */
  hashed: number;
  /** Bytes sent so far. */
  sent: number;
  /** Where the service keeps what it has of the file, to go on there; null while it has nothing that can be continued. */
  address: string | null;
  /** Bytes of `sent` that the service acknowledged and keeps. */
  kept: number;
  /** Bytes of `kept` that an earlier visit sent. */
  keptBefore: number;
  /** Mean bytes per second of the current attempt. */
  speed: number;
  /** How often what the service kept of it was discarded. */
  discards: number;
  /** How often it was interrupted. */
  interruptions: number;
  /** The item, once the service has it. */
  mediaId: string | null;
  /** How far its indexing is. */
  progress: MediaItem['progress'];
  /** Whether the service had the same file before. */
  duplicate: boolean;
  failure: Failure | null;
};

/**
 * Why an upload failed, and whether it can succeed when it is tried again: `now`; `later`, when the person has made room for it; or
 * `never`, because of the file itself.
 */
export type Failure = { message: string; retry: 'now' | 'later' | 'never' };

/** The fields of the form beside the file; empty for none. `tags` are names with commas in between. */
export type UploadLabels = { creator_id: string; category_id: string; collection_id: string; tags: string };
export const noLabels: UploadLabels = { creator_id: '', category_id: '', collection_id: '', tags: '' };

export const isSameLabels = (a: UploadLabels, b: UploadLabels): boolean =>
  (Object.keys(noLabels) as (keyof UploadLabels)[]).every((name) => a[name] === b[name]);

export type UploadQueueState = { uploads: readonly Upload[]; paused: boolean };

const openStates = new Set<Upload['state']>(['queued', 'hashing', 'sending', 'interrupted', 'paused']);

/** Whether the service does not have it yet: then leaving the page stops it. */
export const isOpen = ({ state }: Upload): boolean => openStates.has(state);

/** Whether anything will still happen to it by itself. */
export const isActive = (upload: Upload): boolean => isOpen(upload) || upload.state === 'indexing';

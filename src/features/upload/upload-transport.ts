import type { Failure, Upload, UploadLabels } from './upload.ts';

/** What an attempt ended with. */
export type SendResult =
  | { outcome: 'sent'; mediaId: string; duplicate: boolean }
  | ({ outcome: 'failed' } & Failure)
  | ({ outcome: 'interrupted' } & Interruption);

/**
 * It may succeed later, at the earliest after so many seconds. `busy`: it says nothing of the file, since the service refused it for now or is away.
 * `message`: why the upload fails, if this was the last attempt.
 */
export type Interruption = { waitSeconds?: number; busy?: boolean; message?: string };

export type SendRequest = { file: File; labels: UploadLabels; idempotencyKey: string; address: string | null };

export type SendReport = {
  /** Bytes sent, and those of them that the service keeps. */
  progress: (sent: number, kept: number) => void;
  /** Where the next attempt goes on; null: from the beginning. */
  address: (address: string | null) => void;
};

export type UploadTransport = {
  /** Returns the item that has the same content; null when there is none or that cannot be found out. */
  findStored: (file: File, onHashed: (bytes: number) => void, signal: AbortSignal) => Promise<string | null>;
  /**
   * Makes one attempt. Its result is ignored once the signal is aborted; what was acknowledged stays on the service.
   * @param request `idempotencyKey` is the same for every attempt until it is discarded; `address`: where to go on, null: from the beginning
   */
  send: (request: SendRequest, report: SendReport, signal: AbortSignal) => Promise<SendResult>;
  /** Makes the service forget what it keeps of a file. Never throws. */
  discard: (address: string) => void;
  /** Is told of each item that the service has now. */
  onStored: (upload: Upload & { mediaId: string }) => void;
  /**
   * Gives items that the service has other labels than they were sent with.
   * @param before what they were sent with; null: they were there before, so what they have already stays
   */
  relabel: (mediaIds: readonly string[], before: UploadLabels | null, after: UploadLabels) => void;
  /** Puts an item that could not be indexed back to be indexed. Throws. */
  retryIndexing: (mediaId: string) => Promise<void>;
};

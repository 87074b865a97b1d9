import type { Client } from '../client.ts';

export type UploadedFile = {
  mediaId: string;
  /** The workspace had the same bytes before: `mediaId` is that item, and its labels are as they were. */
  duplicate: boolean;
};

/** An upload, over all its attempts. */
export type Upload = {
  filename: string;
  labels: Record<string, string>;
  signal: AbortSignal | undefined;
  /** Names the upload, so that a repeated request begins no second one. */
  idempotencyKey: string;
  /** In hexadecimal, if it is known. */
  sha256: string | undefined;
  /** Where it goes on; null before it has begun. */
  address: string | null;
  keep: (address: string | null) => void;
  /** Bytes. */
  acknowledged: number;
  /** Tells bytes that were sent and those that were acknowledged. */
  report: (sent: number, acknowledged: number) => void;
};

/** Whether an address is one of the service's own uploads: the key is sent to no other. */
export const isUploadOf = ({ transport }: Client, address: string): boolean =>
  address.startsWith(`${transport.baseUrl}/uploads/`);

import type { Campaign } from './campaign.ts';
import type { RawRequest } from './raw-http.ts';
import type { KnownValues } from './schema-values.ts';

/** Who asks. */
export type Identity = { key: string; cookie: string };

export type FuzzedRequest = RawRequest & {
  kind: string;
  /** Path of the request, by which its operation is found; null where the service may read it otherwise than we do. */
  path: string | null;
  /** Sent in place of the rest, where it cannot be written as a request. */
  bytes?: Buffer;
  /** More is announced than sent: no answer has to come. */
  incomplete?: boolean;
  /** May be refused while it is being sent, which can cut off the answer. */
  mayCloseEarly?: boolean;
};

/** What requests are drawn from. */
export type FuzzContext = {
  campaign: Campaign;
  known: KnownValues;
  identity: Identity;
  files: { photo: Buffer; video: Buffer };
  canaryPort: number;
};

/** The bytes with one of them changed. */
export function corruptByte(bytes: Buffer, { integer }: Campaign): Buffer {
  const changed = Buffer.from(bytes);
  if (changed.length > 0) changed[integer(changed.length)] = integer(256);
  return changed;
}

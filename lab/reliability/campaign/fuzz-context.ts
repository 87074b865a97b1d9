import type { Campaign } from './campaign.ts';
import type { RawRequest } from './raw-http.ts';
import type { KnownValues } from './schema-values.ts';

/** Credentials of a request. */
export type Identity = { key: string; cookie: string };

export type FuzzedRequest = RawRequest & {
  kind: string;
  /** Path of the request, which determines its operation; null where the service may parse it differently. */
  path: string | null;
  /** Raw bytes, sent instead of the other fields. */
  bytes?: Buffer;
  /** The body is shorter than announced, so a response is optional. */
  incomplete?: boolean;
  /** The service may refuse the request while it is sent, which can truncate the response. */
  mayCloseEarly?: boolean;
};

/** Input for drawing requests. */
export type FuzzContext = {
  campaign: Campaign;
  known: KnownValues;
  identity: Identity;
  files: { photo: Buffer; video: Buffer };
  canaryPort: number;
};

/** A copy with one byte changed. */
export function corruptByte(bytes: Buffer, { integer }: Campaign): Buffer {
  const changed = Buffer.from(bytes);
  if (changed.length > 0) changed[integer(changed.length)] = integer(256);
  return changed;
}

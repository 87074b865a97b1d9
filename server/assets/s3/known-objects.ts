import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { AssetStatus, Transfer } from '../asset-store.ts';
import type { BucketClient } from './bucket-client.ts';
import { type ObjectVersion, readWindows } from './read-object.ts';

/** Parts of a local copy that arrive at the same time beside the one that is written. */
const windowsAhead = 2;
/** What is known of an object is believed for this long: a player asks for one range after the other. */
const knownMs = 10_000;

/** What is known of an object. `sha256`: null for one that another program stored. */
export type KnownObject = AssetStatus & ObjectVersion & { sha256: string | null };

/** Asks for objects, and remembers those that are there for a short time. */
export function knowObjects(client: BucketClient) {
  const known = new LRUCache<string, KnownObject>({ max: 10_000, ttl: knownMs });
  return {
    /** Null when there is none. */
    async find(key: string): Promise<KnownObject | null> {
      const remembered = known.get(key);
      if (remembered) return remembered;
      const head = await client.head(key);
      if (!head) return null;
      const object = {
        key,
        bytes: head.ContentLength ?? 0,
        modifiedAt: head.LastModified ?? new Date(0),
        etag: head.ETag,
        sha256: head.Metadata?.['sha256'] ?? null,
      };
      known.set(key, object);
      return object;
    },
    forget: (key: string) => void known.delete(key),
    forgetAll(folder: string): void {
      for (const key of known.keys()) if (key.startsWith(folder)) known.delete(key);
    },
  };
}

/**
 * Downloads an object to a new file. Bytes that are not those that were stored are asked for once more: the way here may have changed them.
 * Throws an error that says nothing about the machine when they stay so.
 */
export async function downloadObject(
  client: BucketClient,
  object: KnownObject,
  file: string,
  transfer?: Transfer,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const sha256 = await downloadOnce(client, object, file, transfer);
    if (object.sha256 === null || object.sha256 === sha256) return;
    if (attempt === 2) throw new Error(`s3://${client.settings.bucket}/${object.key} does not hold what was stored.`);
  }
}

async function downloadOnce(
  client: BucketClient,
  object: KnownObject,
  file: string,
  transfer: Transfer = {},
): Promise<string> {
  const { signal, onAdvance } = transfer;
  const hash = createHash('sha256');
  const handle = await open(file, 'w', 0o600);
  try {
    const whole = { start: 0, end: object.bytes - 1 };
    for await (const block of readWindows(client, object, whole, { signal, ahead: windowsAhead })) {
      hash.update(block);
      await handle.writeFile(block);
      onAdvance?.();
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

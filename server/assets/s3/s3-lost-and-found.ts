import { hashFile } from '../../platform/storage/hash-file.ts';
import { type AssetOwner, type AssetStore, uploaded } from '../asset-store.ts';
import { itemPath, lostAndFoundFolder } from '../disk-layout.ts';
import { isExpired, type LostAndFound, type LostItem, readManifest } from '../lost-and-found.ts';
import type { BucketClient } from './bucket-client.ts';
import { deleteObject, deleteObjects, listObjects } from './list-objects.ts';
import { decodeName } from './write-object.ts';

/** What is younger may be of an upload whose row is being written, by any process. */
const minAgeMs = 86_400_000;

/** The objects that say what is lost. */
function createManifests(client: BucketClient) {
  const { settings, sdk, ask } = client;
  const { bucket, prefix } = settings;
  const root = `${prefix}${lostAndFoundFolder}/`;
  const keyOf = ({ workspace_id, id }: AssetOwner) => `${root}${workspace_id}/${id}.json`;

  async function read(key: string): Promise<LostItem | null> {
    const [, workspace_id, id] = /^([^/]+)\/([^/]+)\.json$/.exec(key.slice(root.length)) ?? [];
    if (workspace_id === undefined || id === undefined) return null;
    const answer = await ask((s3) => s3.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key })));
    const manifest = readManifest((await answer.Body?.transformToString()) ?? '');
    return manifest && { ...manifest, workspace_id, id };
  }

  return {
    /** All, the oldest first. */
    async list(): Promise<LostItem[]> {
      const items: LostItem[] = [];
      for await (const { key } of listObjects(client, root)) {
        const item = await read(key);
        if (item) items.push(item);
      }
      return items.toSorted((a, b) => a.found_at.localeCompare(b.found_at) || a.id.localeCompare(b.id));
    },

    has: async (owner: AssetOwner): Promise<boolean> => (await client.head(keyOf(owner))) !== null,

    async write({ workspace_id, id, ...manifest }: LostItem): Promise<void> {
      const body = Buffer.from(JSON.stringify(manifest, null, 2));
      const parameters = { Bucket: bucket, Key: keyOf({ workspace_id, id }), Body: body };
      await ask((s3) => s3.send(new sdk.PutObjectCommand(parameters)));
    },

    remove: (owner: AssetOwner): Promise<void> => deleteObject(client, keyOf(owner)),
  };
}

/**
 * Lost and found in a bucket. Nothing moves, which would be copying: a lost item stays where it is, and an object
 * `lost+found/<workspace>/<item>.json` says when and why it was found.
 */
export function createS3LostAndFound(client: BucketClient, assets: AssetStore): LostAndFound {
  const { prefix } = client.settings;
  const manifests = createManifests(client);

  return {
    list: () => manifests.list(),

    async remove(item, removable) {
      if (removable) await assets.remove(removable);
      await manifests.remove(item);
    },

    async quarantine(owner, reason) {
      const found = await assets.findItem(owner);
      if (!found || Date.now() - found.changedAt.getTime() < minAgeMs) return null;
      if (await manifests.has(owner)) return null;
      const key = `${prefix}${itemPath(owner)}/original`;
      const head = await client.head(key);
      if (!head) {
        // All it can hold was made from an original that is gone.
        await deleteObjects(client, `${prefix}${itemPath(owner)}/`);
        return null;
      }
      const lost: LostItem = {
        ...owner,
        found_at: new Date().toISOString(),
        reason,
        filename: decodeName(head.Metadata?.['filename']),
        size: head.ContentLength ?? 0,
        running_seconds: 0,
      };
      await manifests.write(lost);
      return lost;
    },

    async restoreInPlace(owner) {
      await manifests.remove(owner);
      return true;
    },

    removeWorkspaceFolder: () => Promise.resolve(),

    withCopy: (item, work) =>
      assets.withLocalCopy(uploaded(item), async (file) => {
        const filename = item.filename ?? `recovered-${item.id}`;
        return work({ path: file, filename, size: item.size, sha256: await hashFile(file) });
      }),

    async listExpired(ranSeconds) {
      const expired: LostItem[] = [];
      for (const known of await manifests.list()) {
        const item = { ...known, running_seconds: known.running_seconds + ranSeconds };
        if (isExpired(item)) expired.push(item);
        else if (ranSeconds > 0) await manifests.write(item);
      }
      return expired;
    },

    removeLeftovers: () => Promise.resolve(),
  };
}

import path from 'node:path';
import { type AssetStore, original, rendition } from '../../assets/asset-store.ts';
import { checkChecksum } from '../../assets/check-original.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { forEach } from '../../platform/storage/for-each.ts';
import { hashFile, hashStream } from '../../platform/storage/hash-file.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { Progress } from '../admin/progress.ts';
import { copyFile } from '../backup/copy-file.ts';

/** What is read of the store that files are sent from. */
export type ReadableAssets = Pick<AssetStore, 'withLocalCopy' | 'listRenditions'>;

export type AssetsCopy = {
  /** Lists the items. Nothing may change it meanwhile. */
  db: Catalog;
  source: ReadableAssets;
  target: AssetStore;
  scratch: Scratch;
  /** Counts bytes: all that are to be read or written first. */
  progress: Pick<Progress, 'addTotal' | 'advance'>;
};

/** Items that are sent at the same time: a small one is mostly waiting for disk or network. */
const itemsAtOnce = 8;

/** About an item, as a sentence. */
export type AssetProblem = { id: string; message: string };

export type AssetsReport = {
  items: number;
  /** The bytes of the originals that arrived. */
  bytes: number;
  /** What did not arrive, or not as it was. The rows of these items stay. */
  problems: AssetProblem[];
};

/**
 * Copies the originals and renditions of all items from one store into another, and reads both to compare what arrived. Files that an earlier
 * try copied are not sent again. What was made for public links is left out: it is made again when it is asked for.
 */
export async function copyAssets(copy: AssetsCopy): Promise<AssetsReport> {
  const { db, progress } = copy;
  // Each original is read once to be sent, and once to compare.
  for await (const row of readAllMedia(db)) progress.addTotal(2 * row.size);
  const failed = new Map<string, AssetProblem>();
  const fail = ({ id }: MediaRow, message: string) => failed.set(id, { id, message });
  await forEach(readAllMedia(db), itemsAtOnce, async (row) => {
    const problem = await sendOriginal(copy, row);
    if (problem) fail(row, `The original of ${row.filename} (${row.id}) is ${problem}, and was left out.`);
    else await sendRenditions(copy, row);
  });
  let [items, bytes] = [0, 0];
  await forEach(readAllMedia(db), itemsAtOnce, async (row) => {
    if (failed.has(row.id)) return;
    const problem = await compareItem(copy, row);
    if (problem) fail(row, `What arrived of ${row.filename} (${row.id}) differs: ${problem}.`);
    items += 1;
    bytes += row.size;
  });
  return { items, bytes, problems: [...failed.values()] };
}

const onDisk = (row: MediaRow) => ({ bytes: row.size, sha256: row.sha256 });

/** @returns why there is nothing to send */
async function sendOriginal({ source, target, scratch, progress }: AssetsCopy, row: MediaRow) {
  if ((await target.stat(original(row)))?.bytes === row.size) {
    progress.advance(row.size);
    return null;
  }
  return source.withLocalCopy(original(row), (file) =>
    scratch.withFolder(async (folder) => {
      const copy = path.join(folder, 'original');
      const onRead = (read: number) => progress.advance(read);
      const outcome = await copyFile(file, copy, { expected: onDisk(row), onRead });
      if (typeof outcome === 'string') return outcome;
      await target.putOriginal(copy, row);
      return null;
    }),
  );
}

/** Sends the renditions that the row names, unless all are there. */
async function sendRenditions({ source, target, scratch }: AssetsCopy, row: MediaRow): Promise<void> {
  const names = await source.listRenditions(row);
  const { renditions_token: token } = row;
  if (token === null || names.length === 0 || (await hasAll(target, row, names))) return;
  await scratch.withFolder(async (folder) => {
    for (const name of names) {
      // One that cannot be read can be made again from the original.
      await source.withLocalCopy(rendition(row, name), (file) => copyFile(file, path.join(folder, name)));
    }
    // What an earlier try left, not all of it.
    await target.removeRenditions(row, { only: token });
    await target.putRenditions(row, token, folder);
  });
}

async function hasAll(store: AssetStore, row: MediaRow, names: string[]): Promise<boolean> {
  const present = new Set(await store.listRenditions(row));
  return names.every((name) => present.has(name));
}

/** @returns where the two stores differ */
async function compareItem({ source, target, progress }: AssetsCopy, row: MediaRow): Promise<string | null> {
  const problem = await checkChecksum(target, row, { onRead: (read) => progress.advance(read) });
  if (problem) return problem === 'original_missing' ? 'its original is missing' : 'its original';
  if (row.renditions_token === null) return null;
  for (const name of await source.listRenditions(row)) {
    const sent = await source.withLocalCopy(rendition(row, name), hashFile);
    const arrived = (await target.stat(rendition(row, name))) && (await hashStream(target.read(rendition(row, name))));
    if (sent !== arrived) return name;
  }
  return null;
}

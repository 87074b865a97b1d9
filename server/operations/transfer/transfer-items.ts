import path from 'node:path';
import {
  type Asset,
  type AssetStore,
  type OriginalOwner,
  uploaded,
  rendition,
  type RenditionOwner,
} from '../../assets/asset-store.ts';
import { checkChecksum } from '../../assets/check-original.ts';
import type { MediaRow } from '../../catalog/media/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readAllMedia } from '../../catalog/snapshot.ts';
import { copyFile, copyStream, type CopyOutcome, type FileChecksum } from '../../platform/storage/copy-file.ts';
import { forEach } from '../../platform/storage/for-each.ts';
import { hashFile, hashStream } from '../../platform/storage/hash-file.ts';
import type { Scratch } from '../../platform/storage/scratch.ts';
import type { Progress } from '../admin/progress.ts';

/** What files are copied from: a store, or the folder of a backup. */
export type TransferSource = Pick<AssetStore, 'withLocalCopy' | 'listRenditions'> &
  Partial<Pick<AssetStore, 'isLocal' | 'read'>>;

/** Copies a file. One of a bucket takes no way over local copies, of which decoders need the latest. */
const copyAsset = (
  source: TransferSource,
  asset: Asset,
  file: string,
  options?: Parameters<typeof copyFile>[2],
): Promise<CopyOutcome> =>
  source.read && source.isLocal === false
    ? copyStream(source.read(asset), file, options)
    : source.withLocalCopy(asset, (from) => copyFile(from, file, options));

type OriginalRow = OriginalOwner & { filename: string; size: number; sha256: string };

/** Where originals are copied to: a store, or the folder of a backup. */
export type TransferTarget = {
  /** Whether an earlier try copied the original. */
  hasOriginal(row: OriginalRow): Promise<boolean>;
  /** Stores the original that `copy` writes to the path that it is given. */
  takeOriginal(row: OriginalRow, copy: (file: string) => Promise<CopyOutcome>): Promise<CopyOutcome>;
};

/**
 * Copies an original, and compares it with the checksum of the upload.
 * @returns `present` when an earlier try copied it; `elsewhere`: it is in its source, and stays there
 */
export async function transferOriginal(
  { source, target }: { source: TransferSource; target: TransferTarget },
  row: OriginalRow,
  onRead: (bytes: number) => void,
): Promise<CopyOutcome | 'present' | 'elsewhere'> {
  if (row.source_id !== null) return 'elsewhere';
  if (await target.hasOriginal(row)) return 'present';
  const expected = { bytes: row.size, sha256: row.sha256 };
  return target.takeOriginal(row, (file) => copyAsset(source, uploaded(row), file, { expected, onRead }));
}

/**
 * Copies renditions into a folder. One that cannot be read is left out: it can be made again from the original.
 * @returns what was copied
 */
export async function copyRenditions(
  source: TransferSource,
  owner: RenditionOwner,
  names: string[],
  folder: string,
): Promise<({ path: string } & FileChecksum)[]> {
  const files: ({ path: string } & FileChecksum)[] = [];
  await forEach(names, renditionsAtOnce, async (name) => {
    const copy = await copyAsset(source, rendition(owner, name), path.join(folder, name));
    if (typeof copy !== 'string') files.push({ path: name, ...copy });
  });
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Renditions of an item that are copied at the same time: most are thumbnails of some kilobytes, in a bucket two requests each. */
const renditionsAtOnce = 4;

type ItemsTransfer = {
  /** Lists the items. Nothing may change it meanwhile. */
  db: Catalog;
  source: TransferSource;
  target: AssetStore;
  scratch: Scratch;
  /** Counts bytes: all that are to be read or written first. */
  progress: Pick<Progress, 'addTotal' | 'advance'>;
};

/** Items that are sent at the same time: a small one is mostly waiting for disk or network. */
const itemsAtOnce = 8;

/** About an item, as a sentence. */
export type ItemProblem = { id: string; message: string };

export type TransferReport = {
  items: number;
  /** The bytes of the originals that arrived. */
  bytes: number;
  /** What did not arrive, or not as it was. The rows of these items stay. */
  problems: ItemProblem[];
};

/**
 * Copies the originals and renditions of all items into a store, and reads both to compare what arrived. Files that an earlier try copied are
 * not sent again. What was made for public links is left out: it is made again when it is asked for.
 */
export async function transferItems(transfer: ItemsTransfer): Promise<TransferReport> {
  const { db, source, progress } = transfer;
  const target = storeTarget(transfer);
  // Each original is read once to be sent, and once to compare.
  for await (const row of readAllMedia(db)) if (row.source_id === null) progress.addTotal(2 * row.size);
  const failed = new Map<string, ItemProblem>();
  const fail = ({ id }: MediaRow, message: string) => failed.set(id, { id, message });
  const onRead = (bytes: number) => progress.advance(bytes);
  await forEach(readAllMedia(db), itemsAtOnce, async (row) => {
    const outcome = await transferOriginal({ source, target }, row, onRead);
    if (outcome === 'missing' || outcome === 'damaged') {
      fail(row, `The original of ${row.filename} (${row.id}) is ${outcome}, and was left out.`);
      return;
    }
    if (outcome === 'present') progress.advance(row.size);
    await sendRenditions(transfer, row);
  });
  let [items, bytes] = [0, 0];
  await forEach(readAllMedia(db), itemsAtOnce, async (row) => {
    if (failed.has(row.id)) return;
    const problem = await compareItem(transfer, row);
    if (problem) fail(row, `What arrived of ${row.filename} (${row.id}) differs: ${problem}.`);
    items += 1;
    if (row.source_id === null) bytes += row.size;
  });
  return { items, bytes, problems: [...failed.values()] };
}

/** A store takes originals from a scratch folder. */
const storeTarget = ({ target, scratch }: Pick<ItemsTransfer, 'target' | 'scratch'>): TransferTarget => ({
  hasOriginal: async (row) => (await target.stat(uploaded(row)))?.bytes === row.size,
  takeOriginal: (row, copy) =>
    scratch.withFolder(async (folder) => {
      const file = path.join(folder, 'original');
      const outcome = await copy(file);
      if (typeof outcome !== 'string') await target.putOriginal(file, row);
      return outcome;
    }),
});

/** Sends the renditions that the row names, unless all are there. */
async function sendRenditions({ source, target, scratch }: ItemsTransfer, row: MediaRow): Promise<void> {
  const names = await source.listRenditions(row);
  const { renditions_token: token } = row;
  if (token === null || names.length === 0) return;
  const present = new Set(await target.listRenditions(row));
  if (names.every((name) => present.has(name))) return;
  await scratch.withFolder(async (folder) => {
    await copyRenditions(source, row, names, folder);
    // What an earlier try left, not all of it.
    await target.removeRenditions(row, { only: token });
    await target.putRenditions(row, token, folder);
  });
}

/** @returns where the two stores differ */
async function compareItem({ source, target, progress }: ItemsTransfer, row: MediaRow): Promise<string | null> {
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

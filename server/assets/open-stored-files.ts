import type { StorageObserver } from '../platform/metrics/metrics.ts';
import { checkFolder } from '../platform/storage/data-directory.ts';
import type { AssetStore } from './asset-store.ts';
import { createDiskPartialFiles } from './disk-partial-files.ts';
import { createFileAssetStore } from './file-asset-store.ts';
import { createDiskHistoryNote, type HistoryNote } from './history-note.ts';
import { createLostAndFound, type LostAndFound } from './lost-and-found.ts';
import type { PartialFiles } from './partial-files.ts';
import type { ProbeStep } from './s3/check-bucket.ts';
import type { StorageSettings } from './storage-settings.ts';

export type StoredFiles = {
  assets: AssetStore;
  partialFiles: PartialFiles;
  lostAndFound: LostAndFound;
  historyNote: HistoryNote;
  /** Tries one after the other what the service asks of the place of its files. The first step that fails is the last. */
  probe(): AsyncIterable<ProbeStep>;
};

/**
 * Opens where a service keeps its files: the data folder, or a bucket, which needs code that is loaded only then.
 * @param settings.storage null: the data folder
 * @param onRequest is told of each request to a bucket
 */
export async function openStoredFiles(
  { dataDirectory, storage }: { dataDirectory: string; storage: StorageSettings | null },
  onRequest: StorageObserver = () => undefined,
): Promise<StoredFiles> {
  if (storage === null) {
    const assets = createFileAssetStore(dataDirectory);
    return {
      assets,
      partialFiles: createDiskPartialFiles(dataDirectory, assets),
      lostAndFound: createLostAndFound(dataDirectory),
      historyNote: createDiskHistoryNote(dataDirectory),
      async *probe() {
        yield { step: 'write', problem: await checkFolder(dataDirectory) };
      },
    };
  }
  const { openBucket } = await import('./s3/s3-asset-store.ts');
  return openBucket(storage, dataDirectory, onRequest);
}

import { itemWatcher, refreshLists } from '../../api/follow-items.ts';
import { checkMedia, retryMedia } from '../../api/generated/api/index.ts';
import type { HashMessage } from './hash-worker.ts';
import { announceVisit, dropKept, keepUploads } from './kept-uploads.ts';
import { relabel } from './relabel.ts';
import { discardKept, sendFile } from './send-file.ts';
import { UploadKeeper } from './upload-keeper.ts';
import { UploadQueue } from './upload-queue.ts';
import { publishedUploads } from './upload-store.ts';
import { type Failure, isOpen, isSameLabels, noLabels, type Upload, type UploadLabels } from './upload.ts';

/** Names this page among those of other tabs and visits. */
const visit = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** All uploads since the page was opened. Lives outside React, so that they continue while people move between pages. */
export const uploadQueue = new UploadQueue(
  {
    findStored,
    send: sendFile,
    discard: discardKept,
    onStored({ mediaId, duplicate, labels }) {
      if (duplicate && !isSameLabels(labels, noLabels)) relabel([mediaId], null, labels);
      itemWatcher.watch(mediaId, !duplicate);
      refreshLists();
    },
    relabel,
    async retryIndexing(id) {
      await retryMedia({ path: { id } });
    },
  },
  visit,
);

itemWatcher.subscribe(({ items, missing }) => uploadQueue.noteItems(items, missing));

const keeper = new UploadKeeper({ keep: keepUploads, drop: dropKept }, visit);
announceVisit(visit);
/** The person who sends them. */
let person = '';

uploadQueue.subscribe(() => {
  const state = uploadQueue.getState();
  publishedUploads.set({ ...state, person });
  keeper.note(state.uploads, person);
});

/**
 * Uploads files.
 * @param refused files that are listed and not sent, and why
 * @param sender as `usePersonKey` says it
 */
export function uploadFiles(
  files: readonly File[],
  refused: { files: readonly File[]; failure: Failure },
  labels: UploadLabels,
  sender: string,
): void {
  endUploadsOfOthers(sender);
  uploadQueue.add(files, labels);
  if (refused.files.length > 0) uploadQueue.addFailed(refused.files, labels, refused.failure);
}

/** Goes on with files that another visit began. */
export function continueUploads(
  files: readonly Pick<Upload, 'file' | 'labels' | 'sentLabels' | 'address'>[],
  sender: string,
): void {
  endUploadsOfOthers(sender);
  uploadQueue.addContinued(files);
}

/**
 * Ends what another person uploads who was signed in on this page before, as it would go on with the key of the person who is signed in now. What the
 * browser keeps of it stays for that person.
 */
export function endUploadsOfOthers(sender: string): void {
  if (person === sender) return;
  keeper.leave();
  uploadQueue.clear();
  person = sender;
}

window.addEventListener('online', () => uploadQueue.hurry());
window.addEventListener('pagehide', () => uploadQueue.discardCancelled());

// Leaving the page stops what has not been stored yet.
window.addEventListener('beforeunload', (event) => {
  if (uploadQueue.getState().uploads.some(isOpen)) event.preventDefault();
});

/**
 * Asks the service whether it has a file already, by its SHA-256 sum, so that what is there need not be sent.
 * @param onProgress gets the bytes read so far
 * @returns the item; null when the service has none, or when it could not be told
 */
async function findStored(
  file: File,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const sha256 = await hashFile(file, onProgress, signal);
    const { data } = await checkMedia({ body: { sha256: [sha256] }, signal });
    return data[0]?.media_id ?? null;
  } catch {
    // Then it is sent; the service finds out by itself.
    return null;
  }
}

function hashFile(file: File, onProgress: (bytes: number) => void, signal: AbortSignal): Promise<string> {
  const worker = new Worker(new URL('hash-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error('The file could not be read.'));
    worker.addEventListener('message', ({ data }: MessageEvent<HashMessage>) => {
      if ('hashed' in data) onProgress(data.hashed);
      else if ('sha256' in data) resolve(data.sha256);
      else fail();
    });
    worker.addEventListener('error', fail);
    signal.addEventListener('abort', fail);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

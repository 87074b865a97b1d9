import { itemWatcher, refreshLists } from '../../api/follow-items.ts';
import { retryMedia } from '../../api/generated/api/index.ts';
import { toast } from '../../ui/toast.ts';
import { findStored } from './find-stored.ts';
import { announceVisit, dropKept, keepUploads } from './kept-uploads.ts';
import { labelStored } from './label-stored.ts';
import { discardKept, sendFile } from './send-file.ts';
import { UploadKeeper } from './upload-keeper.ts';
import { UploadQueue } from './upload-queue.ts';
import { publishedUploads } from './upload-store.ts';
import { isOpen, type Upload, type UploadLabels } from './upload.ts';

let labelled = Promise.resolve();

/** Two at once would both make the same new tag. */
function labelOneAfterTheOther(mediaId: string, labels: UploadLabels): void {
  labelled = labelled
    .then(() => labelStored(mediaId, labels))
    .then(refreshLists)
    .catch((error: unknown) => {
      const description = error instanceof Error ? error.message : undefined;
      toast.error('A file that was in your library keeps its labels', { description });
    });
}

/** Names this page among those of other tabs and visits. */
const visit = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** All uploads since the page was opened. Lives outside React, so that they continue while people move between pages. */
export const uploadQueue = new UploadQueue(
  {
    findStored,
    send: sendFile,
    discard: discardKept,
    onStored({ mediaId, duplicate, labels }) {
      if (duplicate && Object.values(labels).some(Boolean)) labelOneAfterTheOther(mediaId, labels);
      itemWatcher.watch(mediaId, !duplicate);
      refreshLists();
    },
    async retryIndexing(id) {
      await retryMedia({ path: { id } });
    },
  },
  visit,
);

itemWatcher.subscribe(({ items, missing }) => uploadQueue.noteItems(items, missing));

const keeper = new UploadKeeper({ keep: keepUploads, drop: dropKept }, visit);
announceVisit(visit);
/** Who sends them. */
let person = '';

uploadQueue.subscribe(() => {
  const state = uploadQueue.getState();
  publishedUploads.set({ ...state, person });
  keeper.note(state.uploads, person);
});

/**
 * Uploads files.
 * @param sender as `usePersonKey` says it
 */
export function uploadFiles(files: readonly File[], labels: UploadLabels, sender: string): void {
  endUploadsOfOthers(sender);
  uploadQueue.add(files, labels);
}

/** Goes on with files that another visit began. */
export function continueUploads(files: readonly Pick<Upload, 'file' | 'labels' | 'address'>[], sender: string): void {
  endUploadsOfOthers(sender);
  uploadQueue.addContinued(files);
}

/**
 * Ends what another person uploads who was signed in on this page before, as it would go on with the key of whoever is signed in now. What the
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

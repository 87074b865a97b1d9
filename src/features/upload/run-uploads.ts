import { itemWatcher, refreshLists } from '../../api/follow-items.ts';
import { retryMedia } from '../../api/generated/api/index.ts';
import { toast } from '../../ui/toast.ts';
import { findStored } from './find-stored.ts';
import { labelStored } from './label-stored.ts';
import { sendFile } from './send-file.ts';
import { UploadQueue } from './upload-queue.ts';
import { publishUploads } from './upload-store.ts';
import { isOpen, type UploadLabels } from './upload.ts';

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

/** All uploads since the page was opened. Lives outside React, so that they continue while people move between pages. */
export const uploadQueue = new UploadQueue(
  {
    findStored,
    send: sendFile,
    onStored({ mediaId, duplicate, labels }) {
      if (duplicate && Object.values(labels).some(Boolean)) labelOneAfterTheOther(mediaId, labels);
      itemWatcher.watch(mediaId);
      refreshLists();
    },
    async retryIndexing(id) {
      await retryMedia({ path: { id } });
    },
  },
  `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`,
);

itemWatcher.subscribe(({ items, missing }) => uploadQueue.noteItems(items, missing));

uploadQueue.subscribe(() => publishUploads(uploadQueue.getState()));

// Leaving the page loses what has not been stored yet.
window.addEventListener('beforeunload', (event) => {
  if (uploadQueue.getState().uploads.some(isOpen)) event.preventDefault();
});

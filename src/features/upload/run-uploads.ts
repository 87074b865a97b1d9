import { itemWatcher, refreshLists } from '../../api/follow-items.ts';
import { retryMedia } from '../../api/generated/api/index.ts';
import { findStored } from './find-stored.ts';
import { sendFile } from './send-file.ts';
import { UploadQueue } from './upload-queue.ts';
import { publishUploads } from './upload-store.ts';
import { isOpen } from './upload.ts';

/** All uploads since the page was opened. Lives outside React, so that they continue while people move between pages. */
export const uploadQueue = new UploadQueue(
  {
    findStored,
    send: sendFile,
    onStored({ mediaId }) {
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

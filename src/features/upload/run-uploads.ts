import { itemWatcher, refreshLists } from '../../api/follow-items.ts';
import {
  changeCollectionItems,
  changeTagItems,
  checkMedia,
  createTag,
  getMedia,
  listTags,
  retryMedia,
  updateMedia,
} from '../../api/generated/api/index.ts';
import { maxPerPage, readAllPages } from '../../api/whole-list.ts';
import { toast } from '../../ui/toast.ts';
import type { HashMessage } from './hash-worker.ts';
import { announceVisit, dropKept, keepUploads } from './kept-uploads.ts';
import { discardKept, sendFile } from './send-file.ts';
import { UploadKeeper } from './upload-keeper.ts';
import { UploadQueue } from './upload-queue.ts';
import { publishedUploads } from './upload-store.ts';
import { type Upload, type UploadLabels, isOpen } from './upload.ts';

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
/** The person who sends them. */
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

/**
 * Gives an item that the service had before its batch was uploaded what was chosen for the batch: collection and tags beside those that it
 * has, creator and category where it has none.
 */
async function labelStored(id: string, labels: UploadLabels): Promise<void> {
  const { data: item } = await getMedia({ path: { id } });
  const missing = {
    ...(labels.creator_id !== '' && item.creator_id === null ? { creator_id: labels.creator_id } : {}),
    ...(labels.category_id !== '' && item.category_id === null ? { category_id: labels.category_id } : {}),
  };
  if (Object.keys(missing).length > 0) await updateMedia({ path: { id }, body: missing });
  if (labels.collection_id !== '') {
    await changeCollectionItems({ path: { id: labels.collection_id }, body: { add: [id] } });
  }
  for (const name of splitNames(labels.tags)) {
    await changeTagItems({ path: { id: await findOrCreateTag(name) }, body: { add: [id] } });
  }
}

const splitNames = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

async function findOrCreateTag(name: string): Promise<string> {
  const tags = await readAllPages((page) => listTags({ query: { q: name, page, per_page: maxPerPage } }));
  const known = tags.find((tag) => tag.name.toLowerCase() === name.toLowerCase());
  return known?.id ?? (await createTag({ body: { name } })).data.id;
}

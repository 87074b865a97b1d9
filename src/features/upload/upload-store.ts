import { useSyncExternalStore } from 'react';
import type { UploadQueueState } from './upload.ts';

/** What is known of all uploads. The queue itself (`run-uploads.ts`) is loaded with the first files, and writes this. */
let state: UploadQueueState = { uploads: [], paused: false };
const listeners = new Set<() => void>();

export function publishUploads(next: UploadQueueState): void {
  state = next;
  for (const listener of listeners) listener();
}

export const useUploads = (): UploadQueueState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );

import { useSyncExternalStore } from 'react';
import type { KeptUpload } from './kept-uploads.ts';
import type { UploadQueueState } from './upload.ts';

/** A value that the code of uploads writes, which is loaded with the first files, and that pages show before. */
class Published<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** What is known of all uploads of this visit, and the person who sends them, as `usePersonKey` says it. */
type PublishedUploads = UploadQueueState & { person: string };
export const publishedUploads = new Published<PublishedUploads>({ uploads: [], paused: false, person: '' });

/** Uploads of earlier visits that can go on. */
export const publishedInterrupted = new Published<readonly KeptUpload[]>([]);

/** Files that were chosen or dropped and are no media: they are not sent. */
export const publishedSkipped = new Published<readonly File[]>([]);

export const useSkipped = (): readonly File[] => useSyncExternalStore(publishedSkipped.subscribe, publishedSkipped.get);

export const useUploads = (): PublishedUploads =>
  useSyncExternalStore(publishedUploads.subscribe, publishedUploads.get);

export const useInterrupted = (): readonly KeptUpload[] =>
  useSyncExternalStore(publishedInterrupted.subscribe, publishedInterrupted.get);

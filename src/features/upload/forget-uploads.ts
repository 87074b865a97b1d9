import { forgetKeptUploads } from './kept-uploads.ts';
import { publishedInterrupted, publishedUploads } from './upload-store.ts';

/** Ends the uploads of the person who signs out, and forgets their files: the next person has the same browser. */
export async function forgetUploads(): Promise<void> {
  publishedInterrupted.set([]);
  // What goes on would be kept again.
  if (publishedUploads.get().uploads.length > 0) (await import('./run-uploads.ts')).endUploadsOfOthers('');
  await forgetKeptUploads();
}

import { forgetQueryImages } from './features/search/query-images.ts';
import { forgetUploads } from './features/upload/forget-uploads.ts';
import { forgetSearches } from './lib/recent-searches.ts';

/** Removes what this browser keeps of the person that signs out. */
export async function forgetPerson(): Promise<void> {
  forgetSearches();
  await Promise.all([forgetQueryImages(), forgetUploads()]);
}

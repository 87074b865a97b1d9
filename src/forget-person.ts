import { forgetUploads } from './features/upload/forget-uploads.ts';
import { forgetSearches } from './lib/recent-searches.ts';

/** Removes what this browser keeps of the person that signs out. */
export async function forgetPerson(): Promise<void> {
  forgetSearches();
  await Promise.all([forgetImages(), forgetUploads()]);
}

/** Images that were searched by: the page that reads them is seldom the one that is left. */
async function forgetImages(): Promise<void> {
  const { forgetQueryImages } = await import('./features/search/query-images.ts');
  await forgetQueryImages();
}

import { forgetUploads } from './features/upload/forget-uploads.ts';

/** Removes what this browser keeps of the person that signs out. */
export async function forgetPerson(): Promise<void> {
  await Promise.all([forgetSearched(), forgetUploads()]);
}

/** Words and images that were searched by. Loaded here: most visits end without it. */
async function forgetSearched(): Promise<void> {
  const [{ forgetSearches }, { forgetQueryImages }] = await Promise.all([
    import('./lib/recent-searches.ts'),
    import('./features/search/query-images.ts'),
  ]);
  forgetSearches();
  await forgetQueryImages();
}

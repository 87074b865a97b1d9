import type { FolderListing } from './walk-folder.ts';

/** Files that are handed on together. */
const batchFiles = 500;
/** The same however few they are, when it took so long, milliseconds. */
const batchMs = 2000;

/** Collects the listings of folders until they have some hundreds of files. A folder with a million files goes in parts. */
export async function* batchListings(all: AsyncIterable<FolderListing>): AsyncGenerator<FolderListing[]> {
  let listings: FolderListing[] = [];
  let files = 0;
  let began = performance.now();
  for await (const listing of all) {
    for (let at = 0; at === 0 || at < listing.files.length; at += batchFiles) {
      const part = listing.files.slice(at, at + batchFiles);
      listings.push({ ...listing, files: part, problems: at === 0 ? listing.problems : [] });
      files += part.length + listing.problems.length + 1;
      if (files < batchFiles && performance.now() - began < batchMs) continue;
      yield listings;
      began = performance.now();
      listings = [];
      files = 0;
    }
  }
  if (listings.length > 0) yield listings;
}

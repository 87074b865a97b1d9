import type { FolderListing, ListedFile, ListingProblem } from './walk-folder.ts';

/** The longest path that is stored, bytes: an index of PostgreSQL takes keys of 2,704 bytes at most, with the identifiers of workspace and source. */
const maxPathBytes = 2000;
/** No file of this length is media, and the sum of many stays a number that is exact. A sparse file may have any length. */
const maxFileBytes = 2 ** 46;

/** The files of some folders that can be stored, and the problems of the others with those that listing had. */
export function refuseFiles(listings: FolderListing[]): { files: ListedFile[]; problems: ListingProblem[] } {
  const files: ListedFile[] = [];
  const problems = listings.flatMap((listing) => listing.problems);
  for (const file of listings.flatMap((listing) => listing.files)) {
    const problem = problemOf(file);
    if (problem) problems.push({ path: file.path, ...problem });
    else files.push(file);
  }
  return { files, problems: problems.map((problem) => ({ ...problem, path: shorten(problem.path) })) };
}

function problemOf({ path, size }: ListedFile): Omit<ListingProblem, 'path'> | null {
  if (isLong(path)) return { code: 'path_too_long', message: 'Its path in the source is longer than 2,000 bytes.' };
  if (size >= maxFileBytes) return { code: 'too_large', message: 'It is larger than 64 TiB, as no media are.' };
  return null;
}

const isLong = (path: string): boolean => Buffer.byteLength(path) > maxPathBytes;

/** A path that can be stored, by which people know the file. */
const shorten = (path: string): string =>
  isLong(path)
    ? `${Buffer.from(path)
        .subarray(0, maxPathBytes - 3)
        .toString()
        .replace(/\uFFFD+$/, '')}…`
    : path;

import { z } from 'zod';
import { filterParameters, type MediaFilter } from '../../../contract/filters.ts';
import { identifier } from '../../../contract/parameters.ts';
import type { SavedSearch } from '../../../contract/saved-searches.ts';
import { type SearchPlace, searchQuery, toSearchPlaces } from '../../../contract/search.ts';

/** What a saved search looks for: words, in some places, or what is similar to an item of the workspace or a moment of it. */
export type SavedQuery = { filter: MediaFilter } & (
  | { kind: 'words'; q: string; places: SearchPlace[] | undefined; asWritten: boolean }
  | { kind: 'like'; mediaId: string; at: number | undefined; chunkId: string | undefined }
);

/** The parameters of the search page of the dashboard that say what is looked for. It shortens the names of filters, and `to` is the last day that counts. */
const parameters = z.object({
  q: searchQuery.shape.q.optional(),
  in: searchQuery.shape.in,
  written: z.literal('1').optional(),
  like: identifier.optional(),
  at: z.coerce.number().min(0).optional(),
  chunk: identifier.optional(),
  type: filterParameters.type,
  creator: identifier.optional(),
  category: identifier.optional(),
  collection: identifier.optional(),
  tag: identifier.optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
});

/** The query of a saved search; null for one that is no search, or not valid. */
export function readSavedQuery({
  page,
  parameters: given,
}: Pick<SavedSearch, 'page' | 'parameters'>): SavedQuery | null {
  const read = parameters.safeParse(given);
  if (page !== 'search' || !read.success) return null;
  const { q, in: places, written, like, at, chunk, type, creator, category, collection, tag, from, to } = read.data;
  const filter: MediaFilter = {
    type,
    creator_id: creator,
    category_id: category,
    collection_id: collection,
    tag_id: tag,
    taken_after: from,
    // The dashboard leaves such days out, too; the one after the last of them cannot be written.
    taken_before: to === undefined || to >= '9999' ? undefined : dayAfter(to),
  };
  if (q !== undefined)
    return {
      kind: 'words',
      q,
      places: places === undefined ? undefined : toSearchPlaces(places),
      asWritten: written === '1',
      filter,
    };
  return like === undefined ? null : { kind: 'like', mediaId: like, at, chunkId: chunk, filter };
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

import type { ExpressionParameters } from '@media-search/search-engine/text/expression';
import { z } from 'zod';
import { type ConditionField, toConditionFields } from '../../../contract/conditions.ts';
import { filterParameters, type MediaFilter } from '../../../contract/filters.ts';
import type { SavedSearch } from '../../../contract/saved-searches.ts';
import { imageSearchBody, type SearchPlace, searchQuery, toSearchPlaces } from '../../../contract/search.ts';

/** What a saved search looks for: words, in some places, or what is similar to an item of the workspace or a moment of it. */
export type SavedQuery = { filter: MediaFilter } & (
  | {
      kind: 'words';
      q: string;
      /** What is joined to the words, as the parameters say it. */
      joined: Pick<ExpressionParameters, 'and' | 'or' | 'then' | 'within'>;
      without: string[] | undefined;
      places: SearchPlace[] | undefined;
      asWritten: boolean;
      /** Fields whose conditions are words. */
      asWords: ConditionField[];
    }
  | { kind: 'like'; mediaId: string; at: number | undefined; chunkId: string | undefined; also: string | undefined }
);

const { q, in: places, as_written, as_words, and, or, then, within, without } = searchQuery.shape;
const { media_id, chunk_id } = imageSearchBody.shape;

/** The parameters of the API that say what is looked for; `media_id` without words is an item to be compared with, `with` words beside it. */
const parameters = z.object({
  q: q.optional(),
  with: q.optional(),
  in: places,
  as_written,
  as_words,
  and,
  or,
  then,
  within,
  without,
  media_id,
  chunk_id,
  at: z.coerce.number().min(0).optional(),
  ...filterParameters,
});

/** The query of a saved search; null for one that is no search, or not valid. */
export function readSavedQuery({
  page,
  parameters: given,
}: Pick<SavedSearch, 'page' | 'parameters'>): SavedQuery | null {
  const read = parameters.safeParse(given);
  if (page !== 'search' || !read.success) return null;
  const { q: words, with: also, in: where, as_written: asWritten, as_words: asWords, ...others } = read.data;
  const { and: parts, or: alternatives, then: steps, within: seconds, without: excluded, ...rest } = others;
  const { media_id: mediaId, at, chunk_id: chunkId, ...filter } = rest;
  if (words !== undefined)
    return {
      kind: 'words',
      q: words,
      joined: { and: parts, or: alternatives, then: steps, within: seconds },
      without: excluded,
      places: where === undefined ? undefined : toSearchPlaces(where),
      asWritten,
      asWords: asWords === undefined ? [] : toConditionFields(asWords),
      filter,
    };
  return mediaId === undefined ? null : { kind: 'like', mediaId, at, chunkId, also, filter };
}

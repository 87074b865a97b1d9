import { z } from 'zod';
import { dateParameter, identifier, identifierList, mediaStatus, mediaType } from './parameters.ts';

/**
 * What the searches, the highlights, their map and the list of items can be filtered by. What each filter compares is described in
 * `server/catalog/media/media-filter.ts`, which does not compile as long as one is missing there.
 */
export const filterParameters = {
  creator_id: identifier.optional().describe('Only media of this creator.'),
  category_id: identifier.optional().describe('Only media of this category.'),
  type: mediaType.optional(),
  collection_id: identifier.optional().describe('Only media in this collection.'),
  tag_id: identifier.optional().describe('Only media with this tag.'),
  taken_after: dateParameter
    .optional()
    .describe('Only what was recorded then or later. A date is a day of the local calendar of the recording.'),
  taken_before: dateParameter
    .optional()
    .describe('Only what was recorded earlier. A date is a day of the local calendar of the recording.'),
};
const mediaFilter = z.object(filterParameters);
export type MediaFilter = z.output<typeof mediaFilter>;

/** What the list of items can be filtered by. */
export const listFilterParameters = {
  ...filterParameters,
  status: mediaStatus.optional(),
  q: z.string().max(500).optional().describe('Text to find in the file name.'),
  ids: identifierList
    .optional()
    .describe(
      'Only these items, at most 100, with commas in between; unknown ones are left out. The order is that of `sort`. With ' +
        '`per_page=100` the state of all of them takes one request.',
    ),
};
const listFilter = z.object(listFilterParameters);
export type ListFilter = z.output<typeof listFilter>;

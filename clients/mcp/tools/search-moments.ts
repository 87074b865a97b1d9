import { z } from 'zod';
import { describeConditions } from '../../shared/conditions.ts';
import { count } from '../../shared/format.ts';
import { omitUndefined } from '../../shared/omit-undefined.ts';
import { searchMedia } from '../../typescript/index.ts';
import { filterFields, toApiFilters } from '../filters.ts';
import { answerHits, hitsOutput, limitField } from '../hits.ts';
import { mediaId } from '../inputs.ts';
import { describePendingTexts } from '../pending-texts.ts';
import { clean, quote } from '../safe-text.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Where the service looks for words. */
const place = z.enum([
  'visual',
  'speech',
  'ocr',
  'subtitle',
  'chapter',
  'filename',
  'tag',
  'creator',
  'category',
  'collection',
]);

/** Finds moments by words. */
export const addSearchMoments = defineTool({
  name: 'search_moments',
  title: 'Search moments by words',
  description:
    'Finds the exact seconds in videos, and the photos, that show or say what the words describe. Start here for any question about what ' +
    'is in the library. Describe what can be seen ("red car at night") or what is said or written; words in "quotes" are in the text of each hit, word for word, ' +
    '-word excludes; a AND b, a OR b, a THEN b within 30 s join descriptions. Conditions may be part of it: "videos by Ana from last summer". Look at a hit with show_moment before you claim what it shows, and read what is said around it with get_media. ' +
    'Each search counts towards the plan.',
  input: z.strictObject({
    query: z.string().trim().min(1).max(500).describe('What to look for, in words.'),
    limit: limitField,
    ...filterFields,
    media_id: mediaId.optional().describe('Only moments of this item.'),
    in: z
      .array(place)
      .min(1)
      .max(place.options.length)
      .optional()
      .describe(
        'Where to look; everywhere when left out. visual: in the picture; speech: what is said; ocr: on-screen text.',
      ),
    as_written: z
      .boolean()
      .default(false)
      .describe('Takes words as written, without corrections, translation and conditions.'),
    rerank: z
      .boolean()
      .optional()
      .describe(
        'true: judges the best hits again, which may be slower; false: never; left out: where it costs next to nothing.',
      ),
  }),
  output: hitsOutput,
  annotations: readOnly,
  async run({ query, limit, media_id, in: where, as_written, rerank, ...filters }, { client, signal }) {
    const { data, meta } = await searchMedia({
      client,
      query: {
        q: query,
        n: limit,
        dedupe: true,
        as_written,
        ...omitUndefined({ rerank, media_id, in: where?.join(',') }),
        ...(await toApiFilters(client, filters, signal)),
      },
      signal,
    });
    const words = quote(clean(query, 500));
    const pendingTexts = data.every(({ weak }) => weak) ? await describePendingTexts(client, signal) : null;
    return answerHits(client, data, {
      heading: `${count(data.length, 'hit')} for ${words}, the best first`,
      none: `No hits for ${words}. Try other words, fewer filters, or list_media for what there is.`,
      pubsub: [
        describeConditions(meta?.conditions),
        meta?.notice,
        meta?.suggested_query === undefined
          ? null
          : `Without quotation marks, try ${quote(clean(meta.suggested_query, 500))}.`,
        pendingTexts,
      ],
    });
  },
});

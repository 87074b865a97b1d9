import { z } from 'zod';
import { count } from '../../shared/format.ts';
import { omitUndefined } from '../../shared/omit-undefined.ts';
import { searchMediaByFile, searchMediaByImage } from '../../typescript/index.ts';
import { ToolError } from '../failures.ts';
import { briefFilterFields, toApiFilters } from '../filters.ts';
import { answerHits, hitsOutput, limitField } from '../hits.ts';
import { mediaId, webAddress } from '../inputs.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Longest image in base64, characters: of about 3 MB. */
const maxBase64Length = 4_000_000;

const toBase64 = (image: string): string => image.replace(/^data:[^,]*,/, '');

/** Finds moments that look like an image. */
export const addSearchByImage = defineTool({
  name: 'search_by_image',
  title: 'Search moments by an image',
  description:
    'Finds moments and photos that look like an image: one at an address on the web (`url`), one that you have (`image`, base64), or a ' +
    'moment of the library itself (`media_id`, for a video with `at`), which finds more of the same. Give exactly one of the three. ' +
    'Filters are those of search_moments. Each search counts towards the plan.',
  input: z.strictObject({
    url: webAddress.optional().describe('http or https address of an image.'),
    image: z
      .string()
      .min(1)
      .max(maxBase64Length)
      .optional()
      .describe('An image in base64 (JPEG, PNG, WebP, …), at most 3 MB; 1000 pixels are enough.'),
    media_id: mediaId.optional().describe('An item of the library; without `at` all of it.'),
    at: z.number().min(0).optional().describe('With `media_id` of a video: the second to look at.'),
    words: z.string().trim().min(1).max(500).optional().describe('Hits fit them too.'),
    limit: limitField,
    ...briefFilterFields,
  }),
  output: hitsOutput,
  // The service fetches `url`.
  annotations: { ...readOnly, openWorldHint: true },
  async run({ url, image, media_id, at, words, limit, ...filters }, { client, signal }) {
    const sources = [url, image, media_id].filter((source) => source !== undefined);
    if (sources.length !== 1) throw new ToolError('Give exactly one of url, image and media_id.');
    if (at !== undefined && media_id === undefined) {
      throw new ToolError('at is a second of a video of the library: give its media_id as well.');
    }
    const query = {
      n: limit,
      dedupe: true,
      ...omitUndefined({ q: words }),
      ...(await toApiFilters(client, filters, signal)),
    };
    const { data, meta } =
      image === undefined
        ? await searchMediaByImage({ client, query, body: omitUndefined({ url, media_id, at }), signal })
        : await searchMediaByFile(new Blob([Buffer.from(toBase64(image), 'base64')]), { client, query, signal });
    return answerHits(client, data, {
      heading: `${count(data.length, 'hit')}, the most alike first`,
      none: 'Nothing looks like it. Try fewer filters.',
      pubsub: [meta?.notice],
    });
  },
});

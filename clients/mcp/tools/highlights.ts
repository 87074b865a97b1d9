import { z } from 'zod';
import { count } from '../../shared/format.ts';
import { listHighlights } from '../../typescript/index.ts';
import { briefFilterFields, toApiFilters } from '../filters.ts';
import { answerHits, hitsOutput, limitField } from '../hits.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Finds what is unusual. */
export const addHighlights = defineTool({
  name: 'highlights',
  title: 'Most unusual moments',
  description:
    'Finds the moments that are least like everything else in the library, without a query: what stands out, what happened only once, ' +
    'or a first look at an unknown library. The score is the share of moments that are less unusual. Filters are those of search_moments. Counts as a search.',
  input: z.strictObject({
    limit: limitField,
    per_item: z.int().min(1).max(100).default(2).describe('Moments of one item, at most.'),
    method: z
      .enum(['knn', 'centroid', 'lof'])
      .default('knn')
      .describe(
        'Unusual by the distance from the nearest others (knn), from the mean (centroid), or for its surroundings (lof).',
      ),
    ...briefFilterFields,
  }),
  output: hitsOutput,
  annotations: readOnly,
  async run({ limit, per_item, method, ...filters }, { client, signal }) {
    const { data, meta } = await listHighlights({
      client,
      query: { n: limit, per_item, method, dedupe: true, ...(await toApiFilters(client, filters, signal)) },
      signal,
    });
    const among = meta === undefined ? '' : ` of ${meta.population}`;
    return answerHits(client, data, {
      heading: `${count(data.length, 'moment')}${among}, the most unusual first`,
      none: 'There is nothing to compare yet: it takes some indexed items. list_media says what there is.',
      pubsub: [meta?.notice],
    });
  },
});

import { z } from 'zod';
import { type FilterName, orders } from '../../../contract/fields.ts';
import { listMedia } from '../../typescript/index.ts';
import { listFilterFields, toApiFilters } from '../filters.ts';
import { item, toItem, writeItem } from '../items.ts';
import { dataNotice } from '../safe-text.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Lists items. */
export const addListMedia = defineTool({
  name: 'list_media',
  title: 'List videos and images',
  description:
    'Lists items of the library with what is known of their files: for counting, for finding one by its file name, for what is new, ' +
    'still being indexed or failed. For what videos show or say use search_moments instead, whose filters are meant as here.',
  input: z.strictObject({
    ...listFilterFields,
    sort: z
      .enum(orders.map(({ value }) => value))
      .default('-created_at')
      .describe('- in front for descending; the newest upload comes first when left out.'),
    page: z.int().min(1).max(1_000_000).default(1),
    limit: z.int().min(1).max(100).default(20).describe('Items a page.'),
  }),
  output: z.object({
    items: z.array(item),
    total: z.number().describe('Items on all pages.'),
    page: z.number(),
    has_more: z.boolean(),
  }),
  annotations: readOnly,
  async run({ sort, page, limit, ...filters }, { client, signal }) {
    const { data, meta } = await listMedia({
      client,
      query: {
        sort,
        page,
        per_page: limit,
        ...(await toApiFilters<FilterName>(client, filters, signal)),
      },
      signal,
    });
    const items = data.map((media) => toItem(client, media));
    const total = meta?.total ?? items.length;
    const hasMore = meta?.has_more ?? false;
    const first = (page - 1) * limit + 1;
    const lines = [
      items.length === 0
        ? `No items${page > 1 ? ` on page ${page}` : ''}; ${total} in all with these filters.`
        : `Items ${first} to ${first + items.length - 1} of ${total}. ${dataNotice}`,
      ...items.map((each, i) => `${first + i}. ${writeItem(each)}\n   media_id ${each.media_id}`),
      ...(hasMore ? [`More: page ${page + 1}.`] : []),
    ];
    return {
      content: [{ type: 'text', text: lines.join('\n') }],
      structuredContent: { items, total, page, has_more: hasMore },
    };
  },
});

import { z } from 'zod';
import { listMedia } from '../../typescript/index.ts';
import { filterFields, toApiFilters } from '../filters.ts';
import { item, toItem, writeItem } from '../items.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { dataNotice } from '../safe-text.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Lists items. */
export const addListMedia = defineTool({
  name: 'list_media',
  title: 'List videos and images',
  description:
    'Lists items of the library with what is known of their files: for counting, for finding one by its file name, for what is new, ' +
    'still being indexed or failed. For what videos show or say use search_moments instead.',
  input: z.strictObject({
    name: z.string().trim().min(1).max(200).optional().describe('Text in the file name.'),
    status: z.enum(['pending', 'indexing', 'complete', 'error']).optional(),
    ...filterFields,
    sort: z
      .enum([
        '-created_at',
        'created_at',
        'filename',
        '-filename',
        'duration',
        '-duration',
        'size',
        '-size',
        'taken_at',
        '-taken_at',
      ])
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
  async run({ name, status, sort, page, limit, ...filters }, { client, signal }) {
    const { data, meta } = await listMedia({
      client,
      query: {
        ...omitUndefined({ q: name, status }),
        sort,
        page,
        per_page: limit,
        ...(await toApiFilters(client, filters, signal)),
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

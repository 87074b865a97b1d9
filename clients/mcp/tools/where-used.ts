import { z } from 'zod';
import { count, formatTime } from '../../shared/format.ts';
import { pageLink } from '../../shared/links.ts';
import { listCopies } from '../../typescript/index.ts';
import { mediaId } from '../inputs.ts';
import { cleanName, dataNotice, quote, span as writeSpan } from '../safe-text.ts';
import { defineTool, readOnly } from '../tool.ts';

const used = z.object({
  media_id: z.string(),
  filename: z.string(),
  relation: z
    .string()
    .describe('same, version, contains (it holds all of the item), contained_in (a part of the item), overlaps'),
  spans: z.array(
    z.object({
      start: z.number().describe('Seconds in the item.'),
      end: z.number(),
      other_start: z.number().describe('Seconds in the other.'),
      other_end: z.number(),
      speed: z.number(),
      mirrored: z.boolean(),
    }),
  ),
  page: z.string(),
});

/** Finds where footage is used again. */
export const addWhereUsed = defineTool({
  name: 'where_used',
  title: 'Find where an item is used',
  description:
    'Finds other items that show the same footage as an item: copies, versions (cropped, mirrored, quicker, graded) and parts, with the seconds in both.',
  input: z.strictObject({ media_id: mediaId }),
  output: z.object({ used_in: z.array(used) }),
  annotations: readOnly,
  async run({ media_id }, { client, signal }) {
    const { data } = await listCopies({ client, path: { id: media_id }, signal });
    const used_in = data.map(({ kind, item, spans }) => ({
      media_id: item.id,
      filename: cleanName(item.filename),
      relation: kind,
      spans: spans.map(({ cropped: _cropped, score: _score, ...shared }) => shared),
      page: pageLink(client, item.id, spans[0]?.other_start),
    }));
    const lines = used_in.map(({ filename, relation, spans, media_id: id, page }) => {
      const where = spans.map(({ start, end, other_start, other_end }) =>
        other_end === 0 && end === 0
          ? 'image'
          : `${writeSpan(start, end)} is its ${formatTime(other_start)}–${formatTime(other_end)}`,
      );
      return `${quote(filename)} ${relation}: ${where.join('; ')}\n   media_id ${id}, ${page}`;
    });
    const heading =
      used_in.length === 0
        ? 'It is used nowhere else.'
        : `Used in ${count(used_in.length, 'other item')}. ${dataNotice}`;
    return { content: [{ type: 'text', text: [heading, ...lines].join('\n') }], structuredContent: { used_in } };
  },
});

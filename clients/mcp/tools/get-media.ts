import { z } from 'zod';
import { formatTime } from '../../shared/format.ts';
import { ifSupported } from '../../shared/if-supported.ts';
import {
  type Client,
  getCategory,
  getCollection,
  getCreator,
  getMedia,
  getTag,
  type MediaItem,
} from '../../typescript/index.ts';
import { mediaId } from '../inputs.ts';
import { item, toItem, writeItem } from '../items.ts';
import { passage, readPassages, writePassage } from '../passages.ts';
import { cleanName, dataNotice, quote, seconds } from '../safe-text.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Most collections, and most tags, whose names are read. */
const maxNames = 10;

const labels = z.object({
  creator: z.string().nullable(),
  category: z.string().nullable(),
  collections: z.array(z.string()),
  tags: z.array(z.string()),
});

/** Describes one item, with what is said and written in it. */
export const addGetMedia = defineTool({
  name: 'get_media',
  title: 'Describe a video or image',
  description:
    'Describes one item: its file, creator, category, collections and tags, how far its indexing is, and what is said and written in it ' +
    '(speech, subtitles, chapters, on-screen text) with times. With `around` the passages near that second, to read a hit of ' +
    'search_moments in its context; without it those from the beginning.',
  input: z.strictObject({
    media_id: mediaId,
    around: z.number().min(0).optional().describe('The second of a video to read around.'),
    window: z.number().min(1).max(600).default(30).describe('Seconds to read before and after `around`.'),
  }),
  output: z.object({
    item,
    labels,
    speech: z.string().nullable().describe('State of its transcription: complete, pending, none, off, failed.'),
    ocr: z.string().nullable().describe('State of the reading of on-screen text.'),
    passages: z.array(passage),
    passages_complete: z.boolean().describe('Whether these are all passages of that part.'),
  }),
  annotations: readOnly,
  async run({ media_id, around, window }, { client, signal }) {
    const { data: media } = await getMedia({ client, path: { id: media_id }, signal });
    const part = around === undefined ? { from: 0, to: Infinity } : { from: around - window, to: around + window };
    const [names, texts] = await Promise.all([
      readLabels(client, media, signal),
      readPassages(client, media_id, part, signal),
    ]);
    const described = toItem(client, media);
    const { passages, complete } = texts ?? { passages: [], complete: false };
    const where =
      around === undefined
        ? 'What is said and written in it'
        : `What is said and written from ${formatTime(Math.max(0, part.from))} to ${formatTime(part.to)}`;
    const last = passages.at(-1);
    const lines = [
      `${writeItem(described)}. ${dataNotice}`,
      ...writeLabels(names),
      `media_id ${media_id}, ${described.page}`,
      media.speech && media.ocr ? `Speech: ${media.speech.state}; on-screen text: ${media.ocr.state}.` : null,
      texts === null ? 'This service does not list what is said and written.' : null,
      texts && passages.length === 0 ? `${where}: nothing.` : null,
      ...(passages.length > 0 ? [`${where}:`, ...passages.map(writePassage)] : []),
      texts && !complete && last ? `There is more: ask with around ${seconds(last.start + window)}.` : null,
    ];
    return {
      content: [{ type: 'text', text: lines.filter((line) => line !== null).join('\n') }],
      structuredContent: {
        item: described,
        labels: names,
        speech: media.speech?.state ?? null,
        ocr: media.ocr?.state ?? null,
        passages,
        passages_complete: complete,
      },
    };
  },
});

/** The names that an item is sorted by. One that was deleted meanwhile is left out. */
async function readLabels(client: Client, media: MediaItem, signal: AbortSignal): Promise<z.output<typeof labels>> {
  type Read = (options: {
    client: Client;
    path: { id: string };
    signal: AbortSignal;
  }) => Promise<{ data: { name: string } }>;
  const nameOf = async (read: Read, id: string | null | undefined): Promise<string | null> => {
    if (!id) return null;
    const found = await ifSupported(read({ client, path: { id }, signal }), null);
    return found && cleanName(found.data.name);
  };
  const namesOf = async (read: Read, ids: string[] = []): Promise<string[]> =>
    (await Promise.all(ids.slice(0, maxNames).map((id) => nameOf(read, id)))).filter((name) => name !== null);
  const [creator, category, collections, tags] = await Promise.all([
    nameOf(getCreator, media.creator_id),
    nameOf(getCategory, media.category_id),
    namesOf(getCollection, media.collection_ids),
    namesOf(getTag, media.tag_ids),
  ]);
  return { creator, category, collections, tags };
}

function writeLabels({ creator, category, collections, tags }: z.output<typeof labels>): string[] {
  const list = (names: string[]) => names.map(quote).join(', ');
  const known = [
    creator === null ? null : `creator ${quote(creator)}`,
    category === null ? null : `category ${quote(category)}`,
    collections.length === 0 ? null : `in ${list(collections)}`,
    tags.length === 0 ? null : `tags ${list(tags)}`,
  ].filter((each) => each !== null);
  return known.length === 0 ? [] : [known.join('; ')];
}

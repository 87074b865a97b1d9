import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { omitUndefined } from '../../shared/omit-undefined.ts';
import { getMedia, importMedia, isNotSupported, type MediaItem } from '../../typescript/index.ts';
import { ToolError } from '../failures.ts';
import { findLabelId } from '../filters.ts';
import { labelName, webAddress } from '../inputs.ts';
import { item, toItem, writeItem } from '../items.ts';
import { dataNotice } from '../safe-text.ts';
import { type Call, defineTool } from '../tool.ts';

/** Milliseconds between two looks at an item that is being indexed. */
const pollMs = 1000;

/** Adds a file from the web. */
export const addAddMedia = defineTool({
  name: 'add_media',
  title: 'Add a video or image from the web',
  description:
    'Downloads a video or image from an http or https address of the file itself (not of a page that shows it) into the library and ' +
    'indexes it. Only when the user asks for it: it changes the library and counts towards the plan. The same file again gives the ' +
    'item that is there. Without waiting long enough it goes on by itself; get_media says how far it is.',
  input: z.strictObject({
    url: webAddress.describe('Address of the file. Private addresses are refused.'),
    filename: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .optional()
      .describe('A name for it; that of the address when left out.'),
    creator: labelName.optional().describe('An existing creator, by name.'),
    category: labelName.optional().describe('An existing category, by name.'),
    collection: labelName.optional().describe('An existing collection, by name.'),
    tags: z.array(labelName).max(20).optional().describe('Tags; new ones are created.'),
    wait_seconds: z.int().min(0).max(120).default(30).describe('How long to wait until it is indexed.'),
  }),
  output: z.object({
    item,
    duplicate: z.boolean().describe('Whether this file was in the library already.'),
    indexed: z.boolean().describe('Whether it can be searched now.'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ url, filename, tags, wait_seconds, ...names }, call) {
    const { client, signal } = call;
    const find = async (label: 'creator' | 'category' | 'collection') =>
      names[label] === undefined ? undefined : findLabelId(client, label, names[label], signal);
    const [creator, category, collection] = await Promise.all([find('creator'), find('category'), find('collection')]);
    const body = omitUndefined({
      url,
      filename,
      tags,
      creator_id: creator,
      category_id: category,
      collection_id: collection,
    });
    const { data: stored, meta } = await importMedia({ client, body, signal }).catch((error: unknown) => {
      throw isNotSupported(error)
        ? new ToolError('This service takes no files by address. The user can upload the file in the dashboard.')
        : error;
    });
    const media = await waitUntilSettled(call, stored, wait_seconds);
    const described = toItem(client, media);
    const duplicate = meta?.duplicate ?? false;
    const outcome = {
      complete: 'It can be searched.',
      error: 'It could not be indexed.',
      pending: 'It is stored and waits to be indexed: ask get_media later.',
      indexing: 'It is stored and being indexed: ask get_media later.',
    }[media.status];
    const lines = [
      `${duplicate ? 'This file was in the library already' : 'Added'}: ${writeItem(described)}. ${outcome} ${dataNotice}`,
      `media_id ${media.id}, ${described.page}`,
      // An agent would say that it has labelled it.
      ...(meta?.not_applied ? [`It keeps its own labels; not applied: ${meta.not_applied.join(', ')}.`] : []),
    ];
    return {
      content: [{ type: 'text', text: lines.join('\n') }],
      structuredContent: { item: described, duplicate, indexed: media.status === 'complete' },
    };
  },
});

/** Waits until an item is indexed or failed, or the time is over, and tells the agent how far it is. */
async function waitUntilSettled(
  { client, signal, context }: Call,
  stored: MediaItem,
  limit: number,
): Promise<MediaItem> {
  const end = Date.now() + limit * 1000;
  let media = stored;
  while ((media.status === 'pending' || media.status === 'indexing') && Date.now() + pollMs < end) {
    await reportProgress(context, media);
    await delay(pollMs, undefined, { signal });
    ({ data: media } = await getMedia({ client, path: { id: media.id }, signal }));
  }
  return media;
}

async function reportProgress({ mcpReq }: Call['context'], { progress, status }: MediaItem): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress: progress?.fraction ?? 0, total: 1, message: `The item is ${status}.` },
  });
}

import { z } from 'zod';
import { count, formatBytes } from '../../shared/format.ts';
import { ifSupported } from '../../shared/if-supported.ts';
import {
  type Client,
  getWorkspace,
  listCategories,
  listCollections,
  listCreators,
  listSourceFolders,
  listSources,
  listTags,
} from '../../typescript/index.ts';
import { countPendingTexts, writePendingTexts } from '../pending-texts.ts';
import { cleanName, dataNotice, quote } from '../safe-text.ts';
import { defineTool, readOnly } from '../tool.ts';

/** Names of each kind that are listed. */
const maxNames = 20;

const amounts = ['media_items', 'storage_bytes', 'indexed_seconds', 'searches_per_month'] as const;

/** What an amount of the plan is called, and how it is written. */
const written: Record<(typeof amounts)[number], { name: string; write: (value: number) => string }> = {
  media_items: { name: 'Items', write: String },
  storage_bytes: { name: 'Storage', write: formatBytes },
  indexed_seconds: { name: 'Indexed video', write: (value) => `${Math.round(value / 60)} min` },
  searches_per_month: { name: 'Searches this month', write: String },
};

const amount = z.object({ used: z.number(), left: z.number().nullable().describe('null: unlimited') });
const names = z.array(z.string());
const source = z.object({
  name: z.string(),
  state: z.string().describe('offline: originals are not to be reached, but searched.'),
  location: z.string(),
  items: z.number(),
  folders: names.describe('At its root; the filter `folder` takes them and what is below them.'),
});

type ListedSource = z.output<typeof source>;

/** Sources with the folders at their roots; none where the service has no sources. */
async function readSources(client: Client, signal: AbortSignal): Promise<ListedSource[]> {
  const { data } = await ifSupported(listSources({ client, query: { per_page: maxNames }, signal }), { data: [] });
  return Promise.all(
    data.map(async ({ id, name, state, location, items }) => {
      const { data: folders } = await listSourceFolders({ client, path: { id }, signal });
      return {
        name: cleanName(name),
        state,
        location: cleanName(location),
        items: items.pending + items.indexing + items.complete + items.error,
        folders: folders.slice(0, maxNames).map((folder) => cleanName(folder.path)),
      };
    }),
  );
}

const writeSource = ({ name, state, location, items, folders }: ListedSource): string =>
  `Source ${quote(name)}, ${state}, ${count(items, 'item')}, ${quote(location)}${folders.length === 0 ? '' : `, folders: ${folders.map(quote).join(', ')}`}.`;

/** Describes the workspace. */
export const addUsage = defineTool({
  name: 'usage',
  title: 'Workspace and plan',
  description:
    'Says which library this is, how much is in it, what its plan allows and what is left, what is still being indexed, and which ' +
    'creators, categories, collections, tags and sources (folders indexed in place, some maybe offline) the filters of the other tools take.',
  input: z.strictObject({}),
  output: z.object({
    workspace: z.string(),
    plan: z.string(),
    amounts: z.object({
      media_items: amount,
      storage_bytes: amount,
      indexed_seconds: amount,
      searches_per_month: amount,
    }),
    by_status: z.record(z.string(), z.number()),
    by_type: z.record(z.string(), z.number()),
    still_read: z
      .object({ speech: z.number(), ocr: z.number() })
      .describe('Items whose speech, or on-screen text, cannot be searched yet.'),
    creators: names,
    categories: names,
    collections: names,
    tags: names,
    sources: z.array(source),
  }),
  annotations: readOnly,
  async run(_input, { client, signal }) {
    const list = async (
      read: typeof listCreators | typeof listCategories | typeof listCollections | typeof listTags,
    ) => {
      const { data } = await ifSupported(read({ client, query: { per_page: maxNames }, signal }), { data: [] });
      return data.map(({ name }) => cleanName(name));
    };
    const [{ data: workspace }, creators, categories, collections, tags, sources] = await Promise.all([
      getWorkspace({ client, signal }),
      list(listCreators),
      list(listCategories),
      list(listCollections),
      list(listTags),
      readSources(client, signal),
    ]);
    const { usage, quota, plan } = workspace;
    const pendingTexts = countPendingTexts(workspace);
    const used = Object.fromEntries(amounts.map((name) => [name, { used: usage[name], left: quota[name] }])) as Record<
      (typeof amounts)[number],
      z.output<typeof amount>
    >;
    const listed = { creators, categories, collections, tags };
    const lines = [
      `Workspace ${quote(cleanName(workspace.name))}, plan ${quote(cleanName(plan.name))}. ${dataNotice}`,
      ...amounts.map((each) => {
        const { name, write } = written[each];
        const { used: value, left } = used[each];
        return `${name}: ${write(value)}, ${left === null ? 'no limit' : `${write(left)} left`}.`;
      }),
      Object.entries(usage.by_type)
        .map(([type, number]) => count(number, type))
        .join(', '),
      `Status: ${Object.entries(usage.by_status)
        .map(([status, number]) => `${number} ${status}`)
        .join(', ')}.`,
      writePendingTexts(pendingTexts),
      ...sources.map(writeSource),
      ...Object.entries(listed).flatMap(([kind, each]) =>
        each.length === 0 ? [] : [`${kind}: ${each.map(quote).join(', ')}${each.length === maxNames ? ', …' : ''}`],
      ),
    ];
    return {
      content: [{ type: 'text', text: lines.filter((line) => line !== null).join('\n') }],
      structuredContent: {
        workspace: cleanName(workspace.name),
        plan: cleanName(plan.name),
        amounts: used,
        by_status: usage.by_status,
        by_type: usage.by_type,
        still_read: pendingTexts,
        ...listed,
        sources,
      },
    };
  },
});

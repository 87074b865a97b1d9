import { type Command, Option } from 'commander';
import { allFilters, type FilterName, orders, type SortName } from '../../../contract/fields.ts';
import { count, formatBytes, formatTime } from '../../shared/format.ts';
import { listMedia, type MediaItem, paginate } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { findFilters } from '../labels/find-labels.ts';
import { formatDate } from '../output/format-date.ts';
import type { Column } from '../output/format-table.ts';
import { addExamples, addFilterOptions, addJsonOption, type FilterOptions, limitOption } from './options.ts';

type ListOptions = FilterOptions & {
  json?: boolean;
  limit: number;
  all?: boolean;
  sort?: SortName;
};

export function addListCommand(program: Command, context: Context): void {
  const command = program
    .command('list')
    .description('List media, the newest first')
    .addOption(limitOption('How many items', 30, 100_000))
    .option('--all', 'All items, however many')
    .addOption(
      new Option('--sort <field>', 'Order; with - in front the largest first').choices(
        orders.map(({ value }) => value),
      ),
    );
  addExamples(
    addJsonOption(addFilterOptions(command, allFilters)).action((options: ListOptions) => list(options, context)),
    'list',
    'list --type video --creator "Ana Lima" --sort -duration',
    'list --status error --json',
  );
}

/** The longest page that a service gives. */
const pageLength = 100;

async function list(options: ListOptions, context: Context): Promise<void> {
  const { client } = await context.connect();
  const { output, signal } = context;
  const limit = options.all ? Infinity : options.limit;
  const query = {
    per_page: Math.min(pageLength, limit),
    ...(options.sort ? { sort: options.sort } : {}),
    ...(await findFilters<FilterName>(client, options, signal, allFilters)),
  };
  const items: MediaItem[] = [];
  // Items that come while the list is read move others to the next page.
  const seen = new Set<string>();
  let more = false;
  for await (const item of paginate(listMedia, { client, query, signal })) {
    if (items.length === limit) {
      more = true;
      break;
    }
    if (!seen.has(item.id)) items.push(item);
    seen.add(item.id);
  }
  if (options.json) output.json(items);
  else output.table(columns(output), items);
  if (items.length === 0 && !options.json) output.say('There are no such items.');
  if (more) output.say(`Shown: the first ${count(limit, 'item')}. --all shows all, -n NUMBER more.`, 'dim');
}

/** The colour of each state that asks for attention. */
const stateStyles = { error: 'red', pending: 'yellow', indexing: 'yellow' } as const;

const columns = ({ paint }: Context['output']): Column<MediaItem>[] => [
  { name: 'ID', value: ({ id }) => id },
  {
    name: 'STATE',
    value: ({ status }) => status,
    paint: (text, { status }) => (status === 'complete' ? text : paint(stateStyles[status], text)),
  },
  { name: 'TYPE', value: ({ type }) => type },
  {
    name: 'LENGTH',
    value: ({ duration }) => duration,
    shown: ({ duration }) => (duration === null ? '' : formatTime(duration)),
    align: 'right',
  },
  { name: 'SIZE', value: ({ size }) => size, shown: ({ size }) => formatBytes(size), align: 'right', spare: true },
  {
    name: 'UPLOADED',
    value: ({ created_at: at }) => at,
    shown: ({ created_at: at }) => (at ? formatDate(at) : ''),
    spare: true,
  },
  { name: 'FILE', value: ({ filename }) => filename, flexible: true, paint: (text) => paint('bold', text) },
];

import type { Command } from 'commander';
import {
  type Category,
  createCreator,
  type Creator,
  listCategories,
  listCreators,
  paginate,
} from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import type { Column } from '../output/format-table.ts';
import { addHelpCommand, noSuchCommand } from './help.ts';
import { addExamples, addJsonOption } from './options.ts';

type ListOptions = { json?: boolean; name?: string };

/** `creators` and `categories`. Categories are made in the dashboard: the API only reads them. */
export function addLabelCommands(program: Command, context: Context): void {
  const creators = program.command('creators').description('List creators, or make one');
  addExamples(
    addJsonOption(
      creators.command('list', { isDefault: true }).description('List creators by name; also without “list”'),
    )
      .option('--name <text>', 'Only those with this text in their name')
      // What is no command reaches the default one.
      .allowExcessArguments()
      .action(async (options: ListOptions, { args }: Command) => {
        if (args[0] !== undefined) throw noSuchCommand(creators, args[0]);
        const { client } = await context.connect();
        const query = { per_page: 100, ...(options.name === undefined ? {} : { q: options.name }) };
        const { signal } = context;
        showLabels(await readAll(paginate(listCreators, { client, query, signal })), labelColumns, options, context);
      }),
    'creators',
    'creators list --name ana --json',
  );
  addExamples(
    addJsonOption(creators.command('create <name>').description('Make a creator')).action(
      async (name: string, options: ListOptions) => {
        const { client } = await context.connect();
        const { data } = await createCreator({ client, body: { name }, signal: context.signal });
        if (options.json) context.output.json(data);
        else context.output.table(labelColumns, [data]);
      },
    ),
    'creators create "Ana Lima"',
  );
  addHelpCommand(creators);
  addExamples(
    addJsonOption(program.command('categories').description('List categories'))
      .option('--name <text>', 'Only those with this text in their name')
      .action(async (options: ListOptions) => {
        const { client } = await context.connect();
        const query = { per_page: 100, ...(options.name === undefined ? {} : { q: options.name }) };
        const { signal } = context;
        showLabels(
          await readAll(paginate(listCategories, { client, query, signal })),
          categoryColumns,
          options,
          context,
        );
      }),
    'categories',
  );
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function showLabels<Label>(
  labels: Label[],
  columns: Column<Label>[],
  { json }: ListOptions,
  { output }: Context,
): void {
  if (json) return output.json(labels);
  output.table(columns, labels);
  if (labels.length === 0) output.say('There are none.');
}

const labelColumns: Column<Creator>[] = [
  { name: 'ID', value: ({ id }) => id },
  { name: 'ITEMS', value: ({ media_count: items }) => items, align: 'right' },
  { name: 'NAME', value: ({ name }) => name, flexible: true },
];

const categoryColumns: Column<Category>[] = [
  { name: 'ID', value: ({ id }) => id },
  { name: 'ITEMS', value: ({ media_count: items }) => items, align: 'right' },
  { name: 'NAME', value: ({ name }) => name },
  { name: 'DESCRIPTION', value: ({ description }) => description, flexible: true },
];

import { type Command } from 'commander';
import { count, formatTime } from '../../shared/format.ts';
import { pageLink } from '../../shared/links.ts';
import { type Copy, listCopies, listDuplicates, type MediaItem } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import type { Column } from '../output/format-table.ts';
import { addExamples, addJsonOption, limitOption } from './options.ts';

export function addCopiesCommands(program: Command, context: Context): void {
  addExamples(
    addJsonOption(program.command('where-used <id>').description('Show where an item is used in others')).action(
      (id: string, options: { json?: boolean }) => showWhereUsed(id, options, context),
    ),
    'where-used 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  );
  addExamples(
    addJsonOption(program.command('duplicates').description('List groups of items that are the same, the best first'))
      .addOption(limitOption('How many groups, at most 100', 20, 100))
      .action((options: { json?: boolean; limit: number }) => showDuplicates(options, context)),
    'duplicates',
    'duplicates -n 100 --json',
  );
}

const columns = (connection: Connection, { paint }: Context['output']): Column<Row>[] => [
  { name: 'RELATION', value: ({ copy }) => copy.kind },
  { name: 'FILE', value: ({ copy }) => copy.item.filename, flexible: true, paint: (text) => paint('bold', text) },
  { name: 'START', value: ({ span }) => span.start, only: 'scripts' },
  { name: 'END', value: ({ span }) => span.end, only: 'scripts' },
  { name: 'START THERE', value: ({ span }) => span.other_start, only: 'scripts' },
  { name: 'END THERE', value: ({ span }) => span.other_end, only: 'scripts' },
  { name: 'HERE', value: ({ span }) => writeSpan(span.start, span.end), only: 'people' },
  { name: 'THERE', value: ({ span }) => writeSpan(span.other_start, span.other_end), only: 'people' },
  {
    name: 'ADDRESS',
    value: ({ copy, span }) => pageLink(connection.client, copy.item.id, span.other_start),
    below: true,
    paint: (text) => paint('dim', text),
  },
];

type Row = { copy: Copy; span: Copy['spans'][number] };

/** A photograph has no times. */
const writeSpan = (start: number, end: number): string => (end === 0 ? '' : `${formatTime(start)}–${formatTime(end)}`);

/** Prints items that show the same: a row for each span. */
export function showCopies(
  copies: Copy[],
  options: { json?: boolean },
  connection: Connection,
  { output }: Context,
): void {
  if (options.json) output.json(copies);
  else
    output.table(
      columns(connection, output),
      copies.flatMap((copy) => copy.spans.map((span) => ({ copy, span }))),
    );
  if (copies.length === 0 && !options.json) output.say('It is used nowhere else.');
}

async function showWhereUsed(id: string, options: { json?: boolean }, context: Context): Promise<void> {
  const connection = await context.connect();
  const { data } = await listCopies({ client: connection.client, path: { id }, signal: context.signal });
  showCopies(data, options, connection, context);
}

async function showDuplicates(options: { json?: boolean; limit: number }, context: Context): Promise<void> {
  const { client } = await context.connect();
  const { output, signal } = context;
  const { data, meta } = await listDuplicates({ client, query: { per_page: options.limit }, signal });
  if (options.json) return output.json(data);
  const rows = data.flatMap(({ best_id, items }, i) =>
    items.map((item) => ({ group: i + 1, isBest: item.id === best_id, item })),
  );
  const lengthOf = ({ duration }: MediaItem) => (typeof duration === 'number' ? formatTime(duration) : '');
  output.table<(typeof rows)[number]>(
    [
      { name: 'GROUP', value: ({ group }) => group, align: 'right' },
      { name: 'BEST', value: ({ isBest }) => (isBest ? 'best' : '') },
      { name: 'FILE', value: ({ item }) => item.filename, flexible: true },
      { name: 'LENGTH', value: ({ item }) => lengthOf(item), align: 'right' },
      { name: 'PIXELS', value: ({ item }) => `${item.width ?? '?'} × ${item.height ?? '?'}` },
      { name: 'ID', value: ({ item }) => item.id },
    ],
    rows,
  );
  if (data.length === 0) output.say('There are no duplicates.');
  if (meta.has_more)
    output.say(`Shown: the first ${data.length} of ${count(meta.total, 'group')}. -n NUMBER shows more.`, 'dim');
}

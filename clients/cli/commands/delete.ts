import type { Command } from 'commander';
import { count } from '../../shared/format.ts';
import { deleteMedia, getMedia, moveToTrash } from '../../typescript/index.ts';
import type { Connection, Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { escapeText } from '../output/escape-text.ts';
import { addExamples, addJsonOption, jsonOfEach } from './options.ts';
import { askFirst, withEach } from './with-each.ts';

type DeleteOptions = { json?: boolean; yes?: boolean; trash?: boolean };

export function addDeleteCommand(program: Command, context: Context): void {
  const command = program
    .command('delete <id...>')
    .description('Delete items for good, or move them to the trash')
    .option('-y, --yes', 'Do not ask')
    .option('--trash', 'Move them to the trash, where they stay for 30 days');
  addExamples(
    addJsonOption(command, jsonOfEach('item')).action((ids: string[], options: DeleteOptions) =>
      remove(ids, options, context),
    ),
    'delete 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
    'delete --trash --yes 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  );
}

async function remove(ids: string[], options: DeleteOptions, context: Context): Promise<void> {
  const connection = await context.connect();
  if (!options.yes)
    await askFirst(context, { verb: 'delete', done: 'deleted' }, () =>
      writeQuestion(ids, options, connection, context),
    );
  const result = options.trash ? 'trashed' : 'deleted';
  await withEach(ids, options, connection, context, async (id) => {
    await removeOne(id, options, connection, context);
    return { result };
  });
}

async function removeOne(
  id: string,
  { trash }: DeleteOptions,
  { client }: Connection,
  { signal }: Context,
): Promise<void> {
  if (!trash) return void (await deleteMedia({ client, path: { id }, signal }));
  const { data } = await moveToTrash({ client, body: { ids: [id] }, signal });
  if (!data.ids.includes(id)) throw new CommandError('There is no such media item.');
}

async function writeQuestion(
  ids: string[],
  { trash }: DeleteOptions,
  { client }: Connection,
  { output, signal }: Context,
): Promise<string> {
  const items = await Promise.all(
    ids.map(async (id) => (await getMedia({ client, path: { id }, signal })).data.filename),
  );
  for (const name of items) output.say(`  ${name}`);
  const what = items.length === 1 ? `“${escapeText(items[0] ?? '')}”` : count(items.length, 'item');
  return trash ? `Move ${what} to the trash?` : `Delete ${what} for good?`;
}

import type { Command } from 'commander';
import { count } from '../../shared/format.ts';
import { deleteMedia, getMedia, moveToTrash } from '../../typescript/index.ts';
import { answered } from '../answered.ts';
import type { Connection, Context } from '../context.ts';
import { cancelled, CommandError, describeFailure, PartialFailure } from '../failures.ts';
import { escapeText } from '../output/escape-text.ts';
import { addExamples } from './options.ts';

type DeleteOptions = { yes?: boolean; trash?: boolean };

export function addDeleteCommand(program: Command, context: Context): void {
  addExamples(
    program
      .command('delete <id...>')
      .description('Delete items for good, or move them to the trash')
      .option('-y, --yes', 'Do not ask')
      .option('--trash', 'Move them to the trash, where they stay for 30 days')
      .action((ids: string[], options: DeleteOptions) => remove(ids, options, context)),
    'delete 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
    'delete --trash --yes 01a1fbe4-6806-793e-a30f-22b8a44e4f85',
  );
}

async function remove(ids: string[], options: DeleteOptions, context: Context): Promise<void> {
  const { input, output } = context;
  const connection = await context.connect();
  if (!options.yes) {
    // Nothing is asked where nobody can answer, and nothing is deleted for want of an answer.
    if (!input.isTTY || !output.isMessageTerminal)
      throw new CommandError('There is no terminal to ask on. Say --yes to delete without a question.');
    await confirm(ids, options, connection, context);
  }
  let failed = false;
  for (const id of ids) {
    try {
      await removeOne(id, options, connection, context);
      output.line(id);
    } catch (failure) {
      if (context.signal.aborted) throw failure;
      failed = true;
      output.say(`${id}: ${describeFailure(failure)}`, 'red');
    }
  }
  if (failed) throw new PartialFailure();
}

async function removeOne(id: string, { trash }: DeleteOptions, { client }: Connection, { signal }: Context) {
  if (!trash) return deleteMedia({ client, path: { id }, signal });
  const { data } = await moveToTrash({ client, body: { ids: [id] }, signal });
  if (!data.ids.includes(id)) throw new CommandError('There is no such media item.');
  return undefined;
}

async function confirm(
  ids: string[],
  { trash }: DeleteOptions,
  { client }: Connection,
  { input, output, signal }: Context,
): Promise<void> {
  const items = await Promise.all(
    ids.map(async (id) => (await getMedia({ client, path: { id }, signal })).data.filename),
  );
  for (const name of items) output.say(`  ${name}`);
  const what = items.length === 1 ? `“${escapeText(items[0] ?? '')}”` : count(items.length, 'item');
  const { confirm: ask } = await import('@inquirer/prompts');
  const message = trash ? `Move ${what} to the trash?` : `Delete ${what} for good?`;
  const yes = await answered(ask({ message, default: false }, { input, output: process.stderr, signal }));
  if (!yes) throw cancelled('Nothing was deleted.');
}

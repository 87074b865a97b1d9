import type { Command } from 'commander';
import { edits } from '../../../contract/fields.ts';
import { updateMedia } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { findChanges } from '../labels/find-labels.ts';
import { addExamples, addJsonOption, jsonOfEach, valueOption } from './options.ts';
import { withEach } from './with-each.ts';

type UpdateOptions = { json?: boolean } & Record<string, unknown>;

export function addUpdateCommand(program: Command, context: Context): void {
  const command = program
    .command('update <id...>')
    .description(`Change the ${edits.map(({ name }) => name).join(', ')} of items`);
  for (const edit of edits) command.addOption(valueOption(edit));
  addExamples(
    addJsonOption(command, jsonOfEach('item')).action((ids: string[], options: UpdateOptions) =>
      update(ids, options, context),
    ),
    'update 01a1fbe4-6806-793e-a30f-22b8a44e4f85 --creator "Ana Lima"',
    'update 01a1fbe4-6806-793e-a30f-22b8a44e4f85 --category none',
  );
}

async function update(ids: string[], options: UpdateOptions, context: Context): Promise<void> {
  const { signal } = context;
  if (edits.every(({ name }) => options[name] === undefined))
    throw new CommandError(`Say what to change: ${edits.map(({ name }) => `--${name}`).join(', ')}.`);
  const connection = await context.connect();
  const { client } = connection;
  const body = await findChanges(client, options, signal);
  await withEach(ids, options, connection, context, async (id) => {
    await updateMedia({ client, path: { id }, body, signal });
    return { result: 'changed' };
  });
}

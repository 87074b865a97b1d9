import type { Command } from 'commander';
import { count, formatBytes } from '../../shared/format.ts';
import {
  type Client,
  deleteUpload,
  isNotSupported,
  listUploads,
  type OpenUpload,
  paginate,
} from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../failures.ts';
import { escapeText } from '../output/escape-text.ts';
import { formatDate } from '../output/format-date.ts';
import type { Column } from '../output/format-table.ts';
import { addHelpCommand, noSuchCommand } from './help.ts';
import { addExamples, addJsonOption, jsonOfEach } from './options.ts';
import { askFirst, withEach } from './with-each.ts';

/** `uploads`, the open ones, which count for the plan, and `uploads discard`. */
export function addUploadsCommands(program: Command, context: Context): void {
  const uploads = program
    .command('uploads')
    .description('List the uploads that have not arrived whole, or discard some');
  addExamples(
    addJsonOption(
      uploads
        .command('list', { isDefault: true })
        .description('List open uploads, the newest first; also without “list”'),
    )
      // What is no command reaches the default one.
      .allowExcessArguments()
      .action(async ({ json }: { json?: boolean }, { args }: Command) => {
        if (args[0] !== undefined) throw noSuchCommand(uploads, args[0]);
        const { client } = await context.connect();
        const open = await readOpen(client, context.signal);
        if (json) return context.output.json(open);
        context.output.table(columns(context.output), open);
        if (open.length === 0) context.output.say('There are no open uploads.');
      }),
    'uploads',
    'uploads list --json',
  );
  const discard = uploads
    .command('discard <id...>')
    .description('Discard open uploads: what they reserve is free, and their senders are told')
    .option('-y, --yes', 'Do not ask');
  addExamples(
    addJsonOption(discard, jsonOfEach('upload')).action((ids: string[], options: DiscardOptions) =>
      discardEach(ids, options, context),
    ),
    'uploads discard 01a1fbe4-6806-793e-a30f-22b8a44e4fd0',
    'uploads | cut -f 1 | xargs -r media-search uploads discard --yes',
  );
  addHelpCommand(uploads);
}

type DiscardOptions = { json?: boolean; yes?: boolean };

async function discardEach(ids: string[], options: DiscardOptions, context: Context): Promise<void> {
  const connection = await context.connect();
  const { client } = connection;
  if (!options.yes)
    await askFirst(context, { verb: 'discard', done: 'discarded' }, () => writeQuestion(ids, client, context));
  await withEach(ids, options, connection, context, async (id) => {
    await deleteUpload({ client, path: { id }, signal: context.signal });
    return { result: 'discarded' };
  });
}

async function readOpen(client: Client, signal: AbortSignal): Promise<OpenUpload[]> {
  const open = new Map<string, OpenUpload>();
  try {
    // Uploads that begin while the list is read move others to the next page.
    for await (const upload of paginate(listUploads, { client, query: { per_page: 100 }, signal }))
      open.set(upload.id, upload);
  } catch (failure) {
    if (isNotSupported(failure)) throw new CommandError('This service does not list uploads.');
    throw failure;
  }
  return [...open.values()];
}

async function writeQuestion(ids: string[], client: Client, { output, signal }: Context): Promise<string> {
  const open = await readOpen(client, signal);
  const chosen = ids.map((id) => {
    const upload = open.find((each) => each.id === id);
    if (!upload) throw new CommandError(`${id}: There is no such open upload.`);
    return upload;
  });
  for (const { filename, offset, length } of chosen)
    output.say(`  ${filename}, ${formatBytes(offset)} of ${formatBytes(length)}`);
  const what = chosen.length === 1 ? `“${escapeText(chosen[0]?.filename ?? '')}”` : count(chosen.length, 'upload');
  return `Discard ${what}?`;
}

const columns = ({ paint }: Context['output']): Column<OpenUpload>[] => [
  { name: 'ID', value: ({ id }) => id },
  {
    name: 'STATE',
    value: ({ sending }) => (sending ? 'sending' : 'waiting'),
    paint: (text, { sending }) => (sending ? paint('green', text) : text),
  },
  {
    name: 'RECEIVED',
    value: ({ offset }) => offset,
    shown: ({ offset }) => formatBytes(offset),
    align: 'right',
  },
  { name: 'SIZE', value: ({ length }) => length, shown: ({ length }) => formatBytes(length), align: 'right' },
  { name: 'BY', value: ({ created_by: by }) => by, shown: ({ created_by: by }) => by ?? 'a script', spare: true },
  { name: 'BEGUN', value: ({ created_at: at }) => at, shown: ({ created_at: at }) => formatDate(at), spare: true },
  { name: 'EXPIRES', value: ({ expires_at: at }) => at, shown: ({ expires_at: at }) => formatDate(at), spare: true },
  { name: 'FILE', value: ({ filename }) => filename, flexible: true, paint: (text) => paint('bold', text) },
];

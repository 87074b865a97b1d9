import { type Command, Option } from 'commander';
import { count, formatBytes, formatTime } from '../../shared/format.ts';
import {
  type Client,
  createSource,
  deleteSource,
  getSource,
  listSourceFiles,
  listSources,
  paginate,
  scanSource,
  type Source,
  type SourceFile,
  updateSource,
} from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { requireLabel } from '../labels/find-labels.ts';
import { escapeText } from '../output/escape-text.ts';
import { formatDate } from '../output/format-date.ts';
import type { Column } from '../output/format-table.ts';
import { type Field, showFields } from '../output/show-fields.ts';
import { addHelpCommand, noSuchCommand } from './help.ts';
import { addExamples, addJsonOption, limitOption, on } from './options.ts';
import { askFirst } from './with-each.ts';

type JsonOption = { json?: boolean };

/** `sources`: the folders and buckets whose files are indexed where they lie. */
export function addSourcesCommands(program: Command, context: Context): void {
  const sources = program
    .command('sources')
    .description('List the folders and buckets that are indexed in place, or add, scan and remove some');
  addExamples(
    addJsonOption(sources.command('list', { isDefault: true }).description('List sources by name; also without “list”'))
      // What is no command reaches the default one.
      .allowExcessArguments()
      .action(async (options: JsonOption, { args }: Command) => {
        if (args[0] !== undefined) throw noSuchCommand(sources, args[0]);
        await list(options, context);
      }),
    'sources',
    'sources list --json',
  );
  addExamples(
    addJsonOption(sources.command('show <name>').description('Show a source: state, scans, what is left')).action(
      async (name: string, options: JsonOption) => show(await find(name, context), options, context),
    ),
    'sources show NAS',
  );
  addAddCommand(sources, context);
  addChangeCommands(sources, context);
  addRemoveCommand(sources, context);
  addFilesCommand(sources, context);
  addHelpCommand(sources);
}

/** The client, and the identifier of a source that is named. @throws CommandError that says which there are */
async function find(name: string, context: Context): Promise<{ client: Client; id: string }> {
  const { client } = await context.connect();
  return { client, id: (await requireLabel(client, 'source', name, context.signal)).id };
}

async function list({ json }: JsonOption, { connect, output, signal }: Context): Promise<void> {
  const { client } = await connect();
  const all: Source[] = [];
  for await (const source of paginate(listSources, { client, query: { per_page: 100 }, signal })) all.push(source);
  if (json) return output.json(all);
  output.table(sourceColumns(output), all);
  if (all.length === 0) output.say('There are no sources.');
}

async function show(
  { client, id }: { client: Client; id: string },
  { json }: JsonOption,
  { output, signal }: Context,
): Promise<void> {
  const { data } = await getSource({ client, path: { id }, signal });
  if (json) output.json(data);
  else showFields(describeSource(data), output);
}

/** An option of globs. They may have commas in braces, so each is given by itself. */
const globOption = (flags: string, description: string): Option =>
  new Option(flags, description)
    .argParser((glob: string, before?: string[]) => [...(before ?? []), glob])
    .default([], 'none');

function addAddCommand(sources: Command, context: Context): void {
  const command = sources
    .command('add <location>')
    .description(
      'Index a folder of the machine of the service, or s3://BUCKET/FOLDER. Nothing is copied or changed there',
    )
    .option('--name <name>', 'What it is called; the last part of the location unless given')
    .addOption(globOption('--include <glob>', 'Only what one of these matches, such as "footage/**"; several times'))
    .addOption(globOption('--exclude <glob>', 'Not what one of these matches, such as "**/proxies/**"; several times'));
  type Options = JsonOption & { name?: string; include: string[]; exclude: string[] };
  addExamples(
    addJsonOption(command).action(async (location: string, { json, name, include, exclude }: Options) => {
      const { client } = await context.connect();
      const body = { location, include, exclude, ...(name !== undefined && { name }) };
      const { data } = await createSource({ client, body, signal: context.signal });
      if (json) context.output.json(data);
      else context.output.table(sourceColumns(context.output), [data]);
    }),
    'sources add /mnt/nas/footage --name NAS --exclude "**/proxies/**"',
  );
}

/** `scan`, `pause`, `resume`: each prints the source as it is then. */
function addChangeCommands(sources: Command, context: Context): void {
  const { output, signal } = context;
  const print = ({ data }: { data: Source }, { json }: JsonOption) =>
    json ? output.json(data) : output.table(sourceColumns(output), [data]);
  addExamples(
    addJsonOption(sources.command('scan <name>').description('Look for what is new, changed and gone, now'))
      .option('--accept-missing', 'Take what is not there as deleted, also where most of it is missing')
      .action(async (name: string, options: JsonOption & { acceptMissing?: boolean }) => {
        const { client, id } = await find(name, context);
        const body = { accept_missing: options.acceptMissing ?? false };
        print(await scanSource({ client, path: { id }, body, signal }), options);
      }),
    'sources scan NAS',
  );
  for (const [verb, paused, what] of [
    ['pause', true, 'Let scans and indexing of a source wait'],
    ['resume', false, 'Go on with a source, and scan it'],
  ] as const) {
    addExamples(
      addJsonOption(sources.command(`${verb} <name>`).description(what)).action(
        async (name: string, options: JsonOption) => {
          const { client, id } = await find(name, context);
          print(await updateSource({ client, path: { id }, body: { paused }, signal }), options);
        },
      ),
      `sources ${verb} NAS`,
    );
  }
}

function addRemoveCommand(sources: Command, context: Context): void {
  const command = sources
    .command('remove <name>')
    .description('Remove a source with its items, their labels and comments. Its files stay as they are')
    .option('-y, --yes', 'Do not ask');
  addExamples(
    addJsonOption(command).action(async (name: string, { json, yes }: JsonOption & { yes?: boolean }) => {
      const { output, signal } = context;
      const { client, id } = await find(name, context);
      if (!yes) {
        await askFirst(context, { verb: 'remove', done: 'removed' }, async () => {
          const { data } = await getSource({ client, path: { id }, signal });
          const items = count(countItems(data), 'item');
          return `Remove “${escapeText(data.name)}” with ${items}, their labels and comments? The files in ${escapeText(data.location)} stay.`;
        });
      }
      const { data } = await deleteSource({ client, path: { id }, signal });
      if (json) output.json(data);
      else output.line(data.id);
    }),
    'sources remove NAS',
  );
}

function addFilesCommand(sources: Command, context: Context): void {
  const command = sources
    .command('files <name>')
    .description('List the files of a source with their items and problems, by path')
    .option('--failed', 'Only what could not be taken or indexed')
    .option('--path <path>', 'Only this file, or what is in this folder and below it')
    .addOption(limitOption('How many files', 100, 100_000));
  type Options = JsonOption & { failed?: boolean; path?: string; limit: number };
  addExamples(
    addJsonOption(command).action(async (name: string, { json, failed, path, limit }: Options) => {
      const { output, signal } = context;
      const { client, id } = await find(name, context);
      const query = {
        per_page: Math.min(100, limit),
        ...(failed && { failed: on }),
        ...(path !== undefined && { path }),
      };
      const files: SourceFile[] = [];
      let more = false;
      for await (const file of paginate(listSourceFiles, { client, path: { id }, query, signal })) {
        more = files.length === limit;
        if (more) break;
        files.push(file);
      }
      if (json) output.json(files);
      else output.table(fileColumns(output), files);
      if (files.length === 0 && !json) output.say(failed ? 'Nothing failed.' : 'There are no such files.');
      if (more) output.say(`Shown: the first ${count(limit, 'file')}. -n NUMBER shows more.`, 'dim');
    }),
    'sources files NAS --failed',
    'sources files NAS --path 2026/berlin --json',
  );
}

const countItems = ({ items }: Source): number => items.pending + items.indexing + items.complete + items.error;

/** The colour of each state that asks for attention. */
const stateStyles = { offline: 'red', scanning: 'yellow', removing: 'yellow', paused: 'dim' } as const;

const sourceColumns = ({ paint }: Context['output']): Column<Source>[] => [
  { name: 'ID', value: ({ id }) => id, spare: true },
  {
    name: 'STATE',
    value: ({ state }) => state,
    paint: (text, { state }) =>
      state in stateStyles ? paint(stateStyles[state as keyof typeof stateStyles], text) : text,
  },
  { name: 'FILES', value: ({ files }) => files.total, align: 'right' },
  {
    name: 'SIZE',
    value: ({ files }) => files.bytes,
    shown: ({ files }) => formatBytes(files.bytes),
    align: 'right',
    spare: true,
  },
  { name: 'FAILED', value: ({ files }) => files.failed, align: 'right', spare: true },
  { name: 'NAME', value: ({ name }) => name, paint: (text) => paint('bold', text) },
  { name: 'LOCATION', value: ({ location }) => location, flexible: true },
];

const fileColumns = ({ paint }: Context['output']): Column<SourceFile>[] => [
  { name: 'MEDIA ID', value: ({ media_id: id }) => id, spare: true },
  {
    name: 'STATE',
    value: ({ status, problem }) => (problem ? 'failed' : status),
    paint: (text, { problem }) => (problem ? paint('red', text) : text),
  },
  { name: 'SIZE', value: ({ size }) => size, shown: ({ size }) => formatBytes(size), align: 'right', spare: true },
  { name: 'PATH', value: ({ path }) => path, flexible: true, paint: (text) => paint('bold', text) },
  { name: 'PROBLEM', value: ({ problem }) => problem?.message ?? null, below: true },
];

type Scan = NonNullable<Source['scan']>;

/** What a scan found: “812 files, 3 new, 1 moved”. */
function describeScan({ found, added, changed, moved, gone, failed }: Scan): string {
  const parts = { new: added, changed, moved, gone, failed };
  const some = Object.entries(parts).flatMap(([what, number]) => (number > 0 ? [`${number} ${what}`] : []));
  return [count(found, 'file'), ...some].join(', ');
}

function describeSource(source: Source): Field[] {
  const { id, name, location, managed, state, problem, scan, last_scan: last, files, items } = source;
  const states = Object.entries(items)
    .filter(([, number]) => number > 0)
    .map(([status, number]) => `${number} ${status}`);
  return [
    ['source', name],
    ['id', id],
    ['location', location],
    ['added by', managed ? 'the operator of the service' : null],
    ['only', source.include.join('  '), source.include],
    ['without', source.exclude.join('  '), source.exclude],
    ['state', state],
    ['problem', problem ? problem.message : null],
    ['offline since', source.offline_since && formatDate(source.offline_since), [source.offline_since ?? '']],
    ['files', `${files.total}, ${formatBytes(files.bytes)}, not copied`, [files.total, files.bytes]],
    ['failed', files.failed > 0 ? `${files.failed}: sources files --failed names them` : null, [files.failed]],
    ['items', states.join(', ')],
    ['time left', source.seconds_left === null ? null : formatTime(source.seconds_left), [source.seconds_left ?? '']],
    ['scanning', scan ? describeScan(scan) : null],
    [
      'last scan',
      last ? `${formatDate(last.ended_at)}: ${describeScan(last)}` : null,
      [last?.ended_at ?? '', last ? describeScan(last) : ''],
    ],
    ['changes', source.watching ? 'are told by the system' : 'are found by scans'],
  ];
}

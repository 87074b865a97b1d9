import { type Command, Option } from 'commander';
import type { PathMap } from '../../../contract/map-path.ts';
import { count, formatBytes } from '../../shared/format.ts';
import { getWorkspace } from '../../typescript/index.ts';
import type { Context } from '../context.ts';
import { cancelled, CommandError, notSignedIn, PartialFailure } from '../failures.ts';
import { openState, workspaceFolder } from '../files/state.ts';
import { readSources } from '../import/find-in-sources.ts';
import { gatherMaps } from '../import/gather-maps.ts';
import type { Result, Summary } from '../import/immich/import-library.ts';
import type { Library } from '../import/immich/library.ts';
import { openImmich } from '../import/immich/server.ts';
import type { TimeLeft } from '../import/time-left.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { addHelpCommand } from './help.ts';
import { addExamples, addJsonOption, wholeNumber } from './options.ts';

type ImportOptions = {
  url: string;
  key?: string;
  map?: PathMap[];
  again?: boolean;
  dryRun?: boolean;
  parallel: number;
  json?: boolean;
};

/** What a key of Immich has to be allowed. */
const permissions = 'user.read, asset.read, asset.download, album.read and tag.read';

export function addImportCommand(program: Command, context: Context): void {
  const above = addExamples(
    program.command('import').description('Import a library from another program'),
    'import immich --url http://nas:2283 --dry-run',
  );
  const command = above
    .command('immich')
    .description('Import a library from Immich: originals, albums, tags, people, favourites, descriptions, dates')
    .requiredOption('--url <address>', 'Address of the Immich server')
    .option(
      '--key <key>',
      `Its API key; without it IMMICH_API_KEY, which lists of processes do not show. It needs ${permissions}`,
    )
    .addOption(
      new Option(
        '--map <from=to>',
        'A folder as Immich names it, and as the service does: originals that a source has there are not copied; may be given again',
      ).argParser(gatherMaps),
    )
    .option('--again', 'Import also what was imported before and deleted since, and what the service refused')
    .option('-n, --dry-run', 'Say what would be imported, and change nothing')
    .addOption(
      new Option('--parallel <number>', 'Originals that are copied at once').default(3).argParser(wholeNumber(1, 8)),
    );
  addExamples(
    addJsonOption(command, 'a line of JSON for each photo and video').action((options: ImportOptions) =>
      importImmich(options, context),
    ),
    'import immich --url http://nas:2283 --dry-run',
    'import immich --url http://nas:2283 --map /usr/src/app/external=/mnt/nas/photos',
  );
  addHelpCommand(above);
}

async function importImmich(options: ImportOptions, context: Context): Promise<void> {
  const { output, signal, env, folders } = context;
  const server = openImmich(options.url, findKey(options, env), signal);
  const connection = await context.connect();
  const { client } = connection;
  const { data: workspace } = await getWorkspace({ client, signal });
  const sources = await readSources(client, signal);
  const { readLibrary } = await import('../import/immich/library.ts');
  const { importLibrary } = await import('../import/immich/import-library.ts');
  output.say(`Reading ${server.url} …`);
  const library = await readLibrary(server);
  sayFound(library, output);
  const progress = await createProgress(output);
  const results = countResults();
  let summary: Summary | undefined;
  try {
    summary = await importLibrary(library, {
      server,
      connection,
      sources,
      maps: options.map ?? [],
      state: openState(folders.state, client.transport.baseUrl, workspace.id),
      folder: workspaceFolder(folders.state, client.transport.baseUrl, workspace.id),
      again: options.again ?? false,
      dryRun: options.dryRun ?? false,
      concurrency: options.parallel,
      progress,
      signal,
      onResult(result) {
        results.add(result);
        showResult(result, options, progress, output);
      },
      onProblem: (message) => progress.say(message, 'red'),
      onProgress: createTicker(progress, output),
    });
  } catch (failure) {
    if (!signal.aborted) throw failure;
  } finally {
    progress.stop();
    // What was done is said also where the rest failed.
    const done = results.describe();
    if (done !== '') output.say(done);
    else if (summary !== undefined) output.say(options.dryRun ? 'Nothing would be copied.' : 'Nothing was new.');
  }
  if (summary === undefined) throw cancelled('Cancelled. The same command goes on where this one ended.');
  for (const line of describeSummary(summary, options)) output.say(line);
  if (results.failed() > 0 || summary.problems > 0) throw new PartialFailure();
}

/** @throws CommandError where there is none */
function findKey({ key }: ImportOptions, env: Context['env']): string {
  const given = key ?? env['IMMICH_API_KEY'] ?? '';
  if (given === '') throw notSignedIn(`Give an API key of Immich: --key or IMMICH_API_KEY. It needs ${permissions}.`);
  if (/^[\u0021-\u007e]+$/.test(given)) return given;
  throw new CommandError('This is no API key of Immich.');
}

function sayFound({ owner, assets, albums, tags, motions, others }: Library, output: Context['output']): void {
  const bytes = assets.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const found = [
    `${assets.length} photos and videos (${formatBytes(bytes)})`,
    count(albums.length, 'album'),
    count(tags.length, 'tag'),
  ];
  output.say(`${owner.name} has ${found.join(', ')}.`);
  if (motions > 0) output.say(`${count(motions, 'live photo')} with a moving part, which becomes an item of its own.`);
  if (others > 0) output.say(`${others} of partners are left out: they import theirs with a key of their own.`);
}

function showResult(result: Result, { json }: ImportOptions, progress: Progress, output: Context['output']): void {
  if (json) output.jsonLine(result);
  else if (!output.isTerminal) output.row([result.result, result.media_id ?? '', result.file, result.error ?? '']);
  if (result.error !== null) progress.say(`${result.file}: ${result.error}`, 'red');
}

/** Where no bar can be drawn, how far it is is said so often, milliseconds. */
const tickMs = 60_000;

/** Shows how far an import is: by a bar, or by a line each minute. */
function createTicker(progress: Progress, { isMessageTerminal }: Context['output']): (left: TimeLeft) => void {
  const bar = progress.add('Immich');
  let said = performance.now();
  return (left) => {
    bar.update(left.done.bytes, left.total.bytes, left.describe());
    if (isMessageTerminal || performance.now() - said < tickMs) return;
    said = performance.now();
    progress.say(`${left.describe()}.`);
  };
}

const phrases = {
  copied: 'copied',
  referenced: 'indexed where they lie',
  present: 'there already',
  new: 'would be copied',
  waiting: 'wait for the scan of their source: run this again after it',
  failed: 'failed',
} as const;

/** Counts results as they come, so that what was done is said also where the rest was not. */
function countResults() {
  const numbers = new Map<Result['result'], number>();
  const of = (result: Result['result']) => numbers.get(result) ?? 0;
  return {
    add: ({ result }: Result) => void numbers.set(result, of(result) + 1),
    failed: () => of('failed'),
    /** A sentence; empty where there were none. */
    describe(): string {
      const parts = Object.entries(phrases).flatMap(([result, phrase]) => {
        const number = of(result as Result['result']);
        return number === 0 ? [] : [`${number} ${phrase}`];
      });
      return parts.length === 0 ? '' : `${parts.join(', ')}.`;
    },
  };
}

function describeSummary(
  { earlier, gone, bytes, collections, tags, said }: Summary,
  { dryRun }: ImportOptions,
): string[] {
  const given = [
    [collections.size, 'collection'],
    [tags.size, 'tag'],
    [said.rating, 'rating'],
    [said.date, 'date'],
    [said.description, 'description'],
  ] as const;
  const parts = given.flatMap(([number, one]) => (number === 0 ? [] : [count(number, one)]));
  const verb = dryRun ? 'would be set' : 'set';
  return [
    ...(dryRun && bytes > 0 ? [`${formatBytes(bytes)} to copy.`] : []),
    ...(parts.length === 0 ? [] : [`${parts.join(', ')} ${verb}.`]),
    ...(earlier === 0 ? [] : [`${earlier} imported before.`]),
    ...(gone === 0 ? [] : [`${gone} imported before are not here any more: --again imports them once more.`]),
  ];
}

import { Command, CommanderError } from 'commander';
import { ApiError, createClient } from '../typescript/index.ts';
import { findAccount } from './account/credentials.ts';
import { addCompletionCommand, completeWords } from './commands/completion.ts';
import { addCopiesCommands } from './commands/copies.ts';
import { addDeleteCommand } from './commands/delete.ts';
import { addDownloadCommand } from './commands/download.ts';
import { addEventsCommand } from './commands/events.ts';
import { addGetCommand } from './commands/get.ts';
import { addHelpCommand } from './commands/help.ts';
import { addHighlightsCommand } from './commands/highlights.ts';
import { addImportCommand } from './commands/import.ts';
import { addLabelCommands } from './commands/labels.ts';
import { addListCommand } from './commands/list.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addSearchCommand } from './commands/search.ts';
import { addSourcesCommands } from './commands/sources.ts';
import { addUpdateCommand } from './commands/update.ts';
import { addUploadCommand } from './commands/upload.ts';
import { addUploadsCommands } from './commands/uploads.ts';
import { addWatchCommand } from './commands/watch.ts';
import { addWorkspaceCommand } from './commands/workspace.ts';
import type { Context, Folders } from './context.ts';
import { CommandError, describeFailure, exitCodes, isAbort, isOddAnswer, PartialFailure } from './failures.ts';
import { createOutput, type OutputStream } from './output/output.ts';
import packageFile from './package.json' with { type: 'json' };

/** What a process gives a command. */
export type Surroundings = {
  env: Context['env'];
  folders: Folders;
  stdin: NodeJS.ReadStream;
  stdout: OutputStream;
  stderr: OutputStream;
  /** Aborted when the process is asked to end. */
  signal: AbortSignal;
  /** Aborted when standard output is closed. */
  unread: AbortSignal;
};

/**
 * Runs a command to its end.
 * @param words the arguments, without those that started the process
 * @returns its exit code
 */
export async function run(
  words: string[],
  { env, folders, stdin, stdout, stderr, signal, unread }: Surroundings,
): Promise<number> {
  const output = createOutput(stdout, stderr, env);
  const connected: { url: string | null } = { url: null };
  const context: Context = {
    output,
    env,
    folders,
    input: stdin,
    signal,
    unread,
    verbose: words.includes('--verbose'),
    async connect(given) {
      const account = given ?? (await findAccount(env, folders.config));
      connected.url = account.url;
      return { account, client: createClient({ url: account.url, key: account.key }) };
    },
  };
  const program = createProgram(context, stdout, stderr);
  try {
    // Shells call it for completions; users do not.
    if (words[0] === 'complete') return await completeWords(program, context, words.slice(words[1] === '--' ? 2 : 1));
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (failure) {
    return report(failure, context, connected.url);
  }
}

/** Says what went wrong, and gives the exit code for it. */
function report(failure: unknown, { output, signal, verbose }: Context, url: string | null): number {
  // Commander has said it already.
  if (failure instanceof CommanderError) return failure.exitCode;
  if (failure instanceof PartialFailure) return exitCodes.failed;
  if (signal.aborted && (isAbort(failure) || !(failure instanceof CommandError))) {
    output.say('Cancelled.');
    return exitCodes.cancelled;
  }
  const isCancelled = failure instanceof CommandError && failure.exitCode === exitCodes.cancelled;
  output.say(describeFailure(failure, url), isCancelled ? undefined : 'red');
  if (verbose && failure instanceof ApiError && failure.requestId !== null)
    output.say(`Request ${failure.requestId}, status ${failure.status}, code ${failure.code}`, 'dim');
  if (verbose && !(failure instanceof ApiError) && failure instanceof Error && failure.stack !== undefined)
    for (const line of failure.stack.split('\n').slice(isOddAnswer(failure) ? 0 : 1)) output.say(line, 'dim');
  if (failure instanceof CommandError) return failure.exitCode;
  return failure instanceof ApiError && failure.status === 401 ? exitCodes.notSignedIn : exitCodes.failed;
}

/** What a new user needs. */
const start = `
Start:
  $ media-search login
  $ media-search upload ~/Videos --wait
  $ media-search search "somebody hitting a baseball" --open

Scripts set MEDIA_SEARCH_URL and MEDIA_SEARCH_KEY in place of login. Data goes to
standard output, all else to standard error. Exit codes: 0 done; 1 it failed, or
some of many did; 2 cancelled; 4 no key, or one that the service does not accept.

The help of each command has examples: media-search search --help.`;

/** All commands, in the order of the help. */
function createProgram(context: Context, stdout: OutputStream, stderr: OutputStream): Command {
  const program = new Command('media-search')
    .description(
      'Uploads videos, photos and audio to Media Search, and finds the exact seconds in them by words or by an image.',
    )
    .version(packageFile.version, '--version', 'Show the version')
    .option('--verbose', 'Name the request when something fails')
    .helpOption('-h, --help', 'Show this help')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help says how to use it)')
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .addHelpText('after', start)
    .exitOverride();
  // What a command inherits is what the program has when the command is added.
  const add = [
    addLoginCommands,
    addUploadCommand,
    addUploadsCommands,
    addWatchCommand,
    addImportCommand,
    addSearchCommand,
    addHighlightsCommand,
    addCopiesCommands,
    addListCommand,
    addGetCommand,
    addUpdateCommand,
    addDownloadCommand,
    addDeleteCommand,
    addLabelCommands,
    addSourcesCommands,
    addWorkspaceCommand,
    addEventsCommand,
    addMcpCommand,
    addCompletionCommand,
  ];
  for (const addTo of add) addTo(program, context);
  addHelpCommand(program);
  return program;
}

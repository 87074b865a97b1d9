import type { Command } from 'commander';
import { type Client, getWorkspace, type Workspace } from '../../typescript/index.ts';
import {
  checkKey,
  checkUrl,
  defaultUrl,
  isUnencrypted,
  readCredentials,
  removeCredentials,
  storeCredentials,
} from '../account/credentials.ts';
import { answered } from '../answered.ts';
import type { Context } from '../context.ts';
import { CommandError, notSignedIn } from '../failures.ts';
import { readAll } from '../files/read-input.ts';
import { addExamples, addJsonOption } from './options.ts';

/** `login`, `logout` and `status`. */
export function addLoginCommands(program: Command, context: Context): void {
  addExamples(
    program
      .command('login')
      .description('Store the address of a service and an API key')
      .option('--url <address>', 'Address of the service')
      .option('--with-key', 'Read the key from standard input')
      .action((options: LoginOptions) => login(options, context)),
    'login',
    'login --url https://media.example.org --with-key < key.txt',
  );
  program
    .command('logout')
    .description('Remove the stored address and key')
    .action(async () => {
      const removed = await removeCredentials(context.folders.config);
      context.output.say(removed ? 'Logged out.' : 'Nothing was stored.');
    });
  addExamples(
    addJsonOption(
      program.command('status').description('Show which service and workspace commands use'),
      'JSON',
    ).action((options: { json?: boolean }) => showStatus(options, context)),
    'status',
    'status --json',
  );
}

type LoginOptions = { url?: string; withKey?: boolean };

async function login(options: LoginOptions, context: Context): Promise<void> {
  const { input, output, signal } = context;
  const before = (await readCredentials(context.folders.config).catch(() => null))?.url;
  if (!options.withKey && !input.isTTY)
    throw new CommandError(
      'There is no terminal to ask on. Send the key to standard input: media-search login --url ADDRESS --with-key',
    );
  const suggested = context.env['MEDIA_SEARCH_URL'] || before || defaultUrl;
  const url = checkUrl(options.url ?? (options.withKey ? suggested : await askForAddress(suggested, context)));
  const key = checkKey(options.withKey ? await readKey(input, signal) : await askForKey(context));
  const { client } = await context.connect({ url, key, source: 'login' });
  const workspace = await readWorkspace(client, signal);
  const file = await storeCredentials(context.folders.config, { url, key });
  output.say(`Logged in to the workspace “${workspace.name}” at ${url}. Stored in ${file}.`);
  if (isUnencrypted(url))
    output.say('The address begins with http://, so everybody on the way to it can read the key.', 'yellow');
}

/** A key is short: more than this is something else. */
const maxKeyLength = 4096;

const readKey = async (input: NodeJS.ReadStream, signal: AbortSignal): Promise<string> =>
  String(await readAll(input, maxKeyLength, () => notSignedIn('Standard input holds more than an API key.'), signal));

/** Questions go to standard error, as all messages do. */
async function askForAddress(suggested: string, { input, signal }: Context): Promise<string> {
  const { input: ask } = await import('@inquirer/prompts');
  return answered(
    ask({ message: 'Address of the service', default: suggested }, { input, output: process.stderr, signal }),
  );
}

async function askForKey({ input, signal }: Context): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  return answered(
    password(
      { message: 'API key (dashboard: Settings, API Keys)', mask: true },
      { input, output: process.stderr, signal },
    ),
  );
}

/** @throws TypeError where what answers has no workspaces: a key is stored for no such service */
async function readWorkspace(client: Client, signal: AbortSignal): Promise<Workspace> {
  const { data } = await getWorkspace({ client, signal });
  if (typeof data.name !== 'string') throw new TypeError('The answer is no workspace.');
  return data;
}

async function showStatus({ json }: { json?: boolean }, { connect, output, signal }: Context): Promise<void> {
  const { account, client } = await connect();
  const { id, name } = await readWorkspace(client, signal);
  const status = { url: account.url, source: account.source, workspace: { id, name } };
  if (json) output.json(status);
  else
    output.table(
      [
        { name: 'WORKSPACE', value: () => status.workspace.name },
        { name: 'ADDRESS', value: () => status.url },
        { name: 'KEY FROM', value: () => status.source },
      ],
      [status],
    );
}

import { StartupError, toStartupError } from './errors/startup-error.ts';
import { readArguments } from './operations/admin/arguments.ts';
import { findCommand } from './operations/admin/commands.ts';
import { awsVariables, sanitizeEnvironment } from './platform/processes/drop-privileges.ts';
import { setPrivateUmask } from './platform/storage/data-directory.ts';
import { parseSettings, type Settings } from './settings.ts';

const usage = `Usage: npm run --silent admin -- <command>

  key [workspace]                    prints the API key of a workspace
  sign-in-link [workspace]           prints a new one-time sign-in link for its owner
  workspace list                     lists the workspaces with their plans
  workspace create <name> [--owner <name>]
                                     creates a workspace; prints its API key
  plan list                          lists the plans with their limits
  plan set <id> [--name <text>] [--storage-bytes <n>] [--media-items <n>]
                [--indexed-seconds <n>] [--searches-per-month <n>]
                                     creates a plan or changes the given limits; "unlimited" removes a limit
                [--requests-per-minute <n>] [--requests-at-once <n>] [--searches-at-once <n>] [--reranks-at-once <n>]
                [--image-searches-at-once <n>] [--uploads-at-once <n>] [--imports-at-once <n>] [--agents-at-once <n>]
                                     what waits for its turn beyond; "usual" is what every workspace has without a plan's limit
  plan assign <id> [workspace]       puts a workspace on a plan
  source list [--workspace <name>]   lists the sources of all workspaces, or of one
  source add <folder>|s3://<bucket>/<folder> [--name <text>] [--workspace <name>] [--include <glob>]... [--exclude <glob>]...
                                     indexes what is there in place: nothing is copied, moved or written
  source remove <name> [--workspace <name>] [--force]
                                     removes a source with its items, by its name or identifier; its files stay
  model list                         lists the models that can be used, with their licences, and which are downloaded
  model pull <name>                  downloads a model; resumes a download that was interrupted
  model use <name>|<folder>          chooses the embedder of the service, from its next start on
  text read ocr|speech [workspace]   has what is written, or said, in the items of all workspaces, or of one, recognised again,
                                     such as after a change of the model
  sample <name> <file>               draws one of the sample clips and images into a new file
  lost-found list                    lists originals that the catalog no longer lists; each is kept for 30 days
  lost-found restore <id>|all [workspace]
                                     restores them as items, in their workspace or in another
  storage check                      tries what the service asks of the bucket of STORAGE_URL, or of the data folder: writes, reads and removes
                                     a probe; then lists items whose original is not there, and files of no item. Exit status as of check
  secret replace                     creates a secret key in place of a lost one; prints each workspace's new API key
  check [--repair]                   compares all files with the catalog, also while the service runs, and reports what is wrong;
                                     --repair rebuilds what can be derived from originals. Exit status: 0 nothing is wrong,
                                     1 something is wrong (and was not repaired), 2 the check could not run
  backup <folder>                    copies everything into a folder, also while the service runs; the next backup into the same
                                     folder copies what is new. Exit status 1: originals are missing or damaged
  restore <folder> [--force] [--skip-damaged]
                                     restores a backup into the data folder while no service runs on it; --force moves what it
                                     holds aside, --skip-damaged leaves out damaged files of the backup
  migrate --to <place> [<place>]     copies the catalog to a database (postgres://…), the files to a bucket (s3://…), or both to
                                     a folder, while no service runs, and compares them; run again, it goes on where it stopped
  database distribute                spreads the catalog of DATABASE_URL over the nodes of Citus, while no service runs

Give a workspace by its name or identifier; without one the first workspace is used, by text read all. Changes take effect at once, also in a
running service.`;

let settings: Settings | undefined;

setPrivateUmask();
try {
  const { positionals, values } = readArguments();
  if (values.help) {
    console.log(usage);
    process.exit();
  }
  settings = parseSettings(process.env);
  // A move starts no other process, and needs the passwords of where it leads to (PGPASSWORD, AWS_…).
  const kept = settings.bucketAccess.credentials === null ? awsVariables : undefined;
  if (positionals[0] !== 'migrate') sanitizeEnvironment(process.env, kept);
  const command = findCommand(positionals);
  if (!command) throw new StartupError(usage);
  process.exit(await command.run(settings, values));
} catch (error) {
  const message = describeError(error, settings);
  if (message === undefined) throw error;
  console.error(message);
  process.exit(1);
}

/** An error as text for the operator; undefined for a bug. */
function describeError(error: unknown, settings: Settings | undefined): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof StartupError) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  if (code.startsWith('ERR_PARSE_ARGS')) return `${error.message}\n\n${usage}`;
  return settings && toStartupError(error, settings.dataDirectory)?.message;
}

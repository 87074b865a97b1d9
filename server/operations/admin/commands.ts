import path from 'node:path';
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Settings } from '../../settings.ts';
import { openDataCatalog, openSecrets } from '../open-data-directory.ts';
import type { Options } from './arguments.ts';
import { planOptions, printPlans, putOnPlan, setPlan } from './plans.ts';
import { replaceSecret } from './secret.ts';
import { readTextsAgain } from './texts.ts';
import { addWorkspace, findNamedWorkspace, printKey, printSignInLink, printWorkspaces } from './workspaces.ts';

type Command = {
  /** How many arguments follow the words of the command. */
  arguments: { min: number; max: number };
  /** Those it takes, besides `--help`. */
  options?: readonly (keyof Options)[];
  /** @returns the exit status */
  run(args: string[], settings: Settings, options: Options): Promise<number>;
};

type CatalogAction = (
  opened: { db: Catalog; secrets: Secrets; settings: Settings; options: Options },
  ...args: string[]
) => Promise<void>;

/** Opens the catalog for a command, unless it was lost beside files of the service. Throws `StartupError`. */
async function openCatalogOf(settings: Settings): Promise<Catalog> {
  const { assets } = await openStoredFiles(settings);
  return openDataCatalog(settings, assets, { atStart: false });
}

/** A command that reads or changes the catalog. */
function onCatalog(min: number, max: number, action: CatalogAction, taken: readonly (keyof Options)[] = []): Command {
  return {
    arguments: { min, max },
    options: taken,
    async run(args, settings, options) {
      const db = await openCatalogOf(settings);
      const secrets = await openSecrets(settings, db);
      await action({ db, secrets, settings, options }, ...args);
      await db.destroy();
      return 0;
    },
  };
}

/** Commands by their words. What only some of them need is loaded when it is run: most of the time of a short one is its start. */
const commands = new Map<string, Command>(
  Object.entries({
    key: onCatalog(0, 1, ({ db, secrets }, workspace) => printKey(db, secrets, workspace)),
    'sign-in-link': onCatalog(0, 1, ({ db, settings }, workspace) => printSignInLink(db, settings, workspace)),
    'workspace list': onCatalog(0, 0, ({ db }) => printWorkspaces(db)),
    'workspace create': onCatalog(
      1,
      1,
      ({ db, secrets, options }, name = '') => addWorkspace(db, secrets, name, options.owner ?? 'Owner'),
      ['owner'],
    ),
    'plan list': onCatalog(0, 0, ({ db }) => printPlans(db)),
    'plan set': onCatalog(1, 1, ({ db, options }, id = '') => setPlan(db, id, options), planOptions),
    'plan assign': onCatalog(1, 2, ({ db }, id = '', workspace) => putOnPlan(db, id, workspace)),
    'source list': onCatalog(
      0,
      0,
      async ({ db, options }) => (await import('./sources.ts')).printSources(db, options),
      ['workspace'],
    ),
    'source add': onCatalog(
      1,
      1,
      async ({ db, settings, options }, location = '') =>
        (await import('./sources.ts')).addNamedSource(db, settings, location, options),
      ['name', 'workspace', 'include', 'exclude'],
    ),
    'source remove': onCatalog(
      1,
      1,
      async ({ db, options }, name = '') => (await import('./sources.ts')).removeNamedSource(db, name, options),
      ['workspace', 'force'],
    ),
    'model list': onCatalog(0, 0, async ({ db, settings }) => (await import('./models.ts')).listModels(db, settings)),
    'model pull': onCatalog(1, 1, async ({ settings }, name = '') =>
      (await import('./models.ts')).pullModel(name, settings),
    ),
    'model use': onCatalog(1, 1, async ({ db, settings }, name = '') =>
      (await import('./models.ts')).chooseModel(db, name, settings),
    ),
    sample: {
      arguments: { min: 2, max: 2 },
      async run([name = '', file = '']) {
        await (await import('./sample.ts')).writeSample(name, path.resolve(file));
        return 0;
      },
    },
    'text read': onCatalog(1, 2, ({ db, settings }, source = '', workspace) =>
      readTextsAgain(db, settings, source, workspace),
    ),
    'lost-found list': onCatalog(0, 0, async ({ db, settings }) =>
      (await import('./lost-found.ts')).listLostFound(db, settings),
    ),
    'lost-found restore': onCatalog(1, 2, async ({ db, settings }, which = '', name) => {
      const workspace = name === undefined ? undefined : await findNamedWorkspace(db, name);
      const { restoreLostFound } = await import('./lost-found.ts');
      await restoreLostFound(db, settings, which, workspace);
    }),
    'database distribute': {
      arguments: { min: 0, max: 0 },
      run: async (_, settings) => (await import('./distribute.ts')).runDistribute(settings),
    },
    'storage check': {
      arguments: { min: 0, max: 0 },
      run: async (_, settings) => (await import('./storage.ts')).runStorageCheck(settings),
    },
    'secret replace': {
      arguments: { min: 0, max: 0 },
      async run(_, settings) {
        // Opens no secrets: they are what is lost.
        const db = await openCatalogOf(settings);
        await replaceSecret(db, settings);
        await db.destroy();
        return 0;
      },
    },
    check: {
      arguments: { min: 0, max: 0 },
      options: ['repair'],
      run: async (_, settings, { repair = false }) => (await import('./check.ts')).runCheck(settings, { repair }),
    },
    backup: {
      arguments: { min: 1, max: 1 },
      run: async ([folder = ''], settings) => (await import('./backup.ts')).runBackup(settings, path.resolve(folder)),
    },
    restore: {
      arguments: { min: 1, max: 1 },
      options: ['force', 'skip-damaged'],
      async run([folder = ''], settings, { force = false, 'skip-damaged': skipDamaged = false }) {
        const { runRestore } = await import('./backup.ts');
        return runRestore(settings, path.resolve(folder), { force, skipDamaged });
      },
    },
    migrate: {
      arguments: { min: 0, max: 2 },
      options: ['to'],
      run: async (args, settings, { to = [] }) => (await import('./migrate.ts')).runMigrate(settings, [...to, ...args]),
    },
  }),
);

/**
 * Finds the command that the words of a command line name, with what follows as its arguments. Its `run` throws `StartupError` for an option that
 * only other commands take.
 * @returns undefined when there is no such command, or when it takes another number of arguments
 */
export function findCommand(
  words: string[],
): { run(settings: Settings, options: Options): Promise<number> } | undefined {
  for (const count of [2, 1]) {
    const command = commands.get(words.slice(0, count).join(' '));
    const args = words.slice(count);
    if (words.length < count || !command) continue;
    const { min, max } = command.arguments;
    if (args.length >= min && args.length <= max) {
      const name = words.slice(0, count).join(' ');
      return {
        async run(settings, options) {
          refuseOthers(name, command, options);
          return command.run(args, settings, options);
        },
      };
    }
  }
  return undefined;
}

/** A command refuses an option that it does not know, which would otherwise be ignored in silence. */
function refuseOthers(name: string, { options: taken = [] }: Command, options: Options): void {
  const other = Object.keys(options).find((option) => !taken.includes(option as keyof Options));
  if (other !== undefined) throw new StartupError(`\`${name}\` takes no --${other}; --help says which options it has.`);
}

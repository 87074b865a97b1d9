import path from 'node:path';
import { parseArgs } from 'node:util';
import { runBackup, runRestore } from './admin/backup.ts';
import { runCheck } from './admin/check.ts';
import { listLostFound, restoreLostFound } from './admin/lost-found.ts';
import { chooseModel, listModels, pullModel } from './admin/models.ts';
import { replaceSecret } from './admin/secret.ts';
import { createFileAssetStore } from './assets/file-asset-store.ts';
import { revealApiKey } from './catalog/api-keys.ts';
import { assignPlan, limitNames, listPlans, type Plan, savePlan } from './catalog/plans.ts';
import type { Catalog } from './catalog/schema.ts';
import { createSignInToken } from './catalog/sessions.ts';
import { createWorkspace, listWorkspaces, type WorkspaceRow } from './catalog/workspaces.ts';
import { sanitizeEnvironment } from './processes/drop-privileges.ts';
import { parseSettings, type Settings, StartupError } from './settings.ts';
import { openDataCatalog, openSecrets } from './startup/open-data-directory.ts';
import { toStartupError } from './startup/startup-error.ts';
import { setPrivateUmask } from './storage/data-directory.ts';

const usage = `Usage: npm run --silent admin -- <command>

  key [workspace]                    prints the API key of a workspace
  sign-in-link [workspace]           prints a new one-time sign-in link for its owner
  workspace list                     lists the workspaces with their plans
  workspace create <name> [--owner <name>]
                                     makes a workspace; prints its API key
  plan list                          lists the plans with their limits
  plan set <id> [--name <text>] [--storage-bytes <n>] [--media-items <n>]
                [--indexed-seconds <n>] [--searches-per-month <n>]
                                     makes a plan or changes what is given; "unlimited" takes a limit away
  plan assign <id> [workspace]       puts a workspace on a plan
  model list                         lists the models that can be used, with their licences, and which are here
  model pull <name>                  fetches a model; what broke off is gone on with
  model use <name>|<folder>|builtin  chooses what pictures and queries are understood with, from the next start on
  lost-found list                    lists the files that the catalog does not list any more; each is kept for 30 days
  lost-found restore <id>|all [workspace]
                                     makes them items again, in the workspace they were in or in another
  secret replace                     makes another secret key where it is lost; prints each workspace's new API key
  check [--repair]                   compares all files with the catalog, while the service runs or not, and reports what is not as
                                     it should be; --repair makes again what is made from originals. Exit status: 0 all is
                                     well, 1 something was found (and not mended), 2 it could not be checked
  backup <folder>                    copies everything into a folder, while the service runs or not; the next backup into the
                                     same folder copies what is new. Exit status 1: originals were lost or damaged already
  restore <folder> [--force] [--skip-damaged]
                                     puts a backup into the data folder, which no service may run on; --force puts what
                                     it holds aside, --skip-damaged leaves out files of the backup that are damaged

A workspace is named by its name or identifier; without one the first is meant. What is changed counts at once, also in a
service that is running.`;

let settings: Settings | undefined;
let values: ReturnType<typeof readArguments>['values'] = {};

setPrivateUmask();
try {
  const args = readArguments();
  values = args.values;
  settings = parseSettings(process.env);
  sanitizeEnvironment(process.env);
  const [command = '', ...rest] = args.positionals;
  const folder = path.resolve(rest[0] ?? '');
  if (command === 'check' && rest.length === 0) {
    process.exit(await runCheck(settings, { repair: values.repair ?? false }));
  }
  if (command === 'backup' && rest.length === 1) process.exit(await runBackup(settings.dataDirectory, folder));
  if (command === 'restore' && rest.length === 1) {
    const { force = false, 'skip-damaged': skipDamaged = false } = values;
    process.exit(await runRestore(settings.dataDirectory, folder, { force, skipDamaged }));
  }
  const db = await openDataCatalog(settings.dataDirectory, createFileAssetStore(settings.dataDirectory), {
    atStart: false,
  });
  // Without the secret, which is what this replaces.
  if (command === 'secret' && rest[0] === 'replace' && rest.length === 1) {
    await replaceSecret(db, settings.dataDirectory);
    process.exit(0);
  }
  const secrets = await openSecrets(settings.dataDirectory, db);
  if (command === 'key' && rest.length <= 1) {
    const workspace = await findNamedWorkspace(db, rest[0]);
    const key = await revealApiKey(db, secrets, workspace.id);
    if (!key) throw new StartupError(`All keys of the workspace ${workspace.name} were revoked.`);
    console.log(key);
  } else if (command === 'sign-in-link' && rest.length <= 1) {
    const workspace = await findNamedWorkspace(db, rest[0]);
    const url = settings.publicUrl ?? `http://${settings.host}:${settings.port}`;
    console.log(`${url}/sign-in?token=${await createSignInToken(db, workspace.id)}`);
  } else if (command === 'workspace' && rest[0] === 'list' && rest.length === 1) {
    for (const { id, name, plan_id } of await listWorkspaces(db)) console.log(`${id}  ${name}  (plan ${plan_id})`);
  } else if (command === 'workspace' && rest[0] === 'create' && rest.length === 2) {
    const name = rest[1]?.trim() ?? '';
    const named = (await listWorkspaces(db)).some((each) => each.name === name);
    if (name === '' || named) throw new StartupError('Give the workspace a name that no other has.');
    const { id } = await createWorkspace(db, secrets, { workspace: name, owner: values.owner ?? 'Owner' });
    console.log(await revealApiKey(db, secrets, id));
  } else if (command === 'plan' && rest[0] === 'list' && rest.length === 1) {
    for (const plan of await listPlans(db)) console.log(describePlan(plan));
  } else if (command === 'plan' && rest[0] === 'set' && rest.length === 2) {
    console.log(describePlan(await savePlan(db, rest[1] ?? '', readPlanChanges())));
  } else if (command === 'plan' && rest[0] === 'assign' && (rest.length === 2 || rest.length === 3)) {
    const workspace = await findNamedWorkspace(db, rest[2]);
    if (!(await assignPlan(db, workspace.id, rest[1] ?? ''))) {
      const plans = (await listPlans(db)).map(({ id }) => id).join(', ');
      throw new StartupError(`There is no plan ${rest[1]}. There are: ${plans}.`);
    }
    console.log(`${workspace.name} is on the plan ${rest[1]}.`);
  } else if (command === 'model' && rest[0] === 'list' && rest.length === 1) {
    await listModels(db, settings);
  } else if (command === 'model' && rest[0] === 'pull' && rest.length === 2) {
    await pullModel(rest[1] ?? '', settings);
  } else if (command === 'model' && rest[0] === 'use' && rest.length === 2) {
    await chooseModel(db, rest[1] ?? '', settings);
  } else if (command === 'lost-found' && rest[0] === 'list' && rest.length === 1) {
    await listLostFound(db, settings.dataDirectory);
  } else if (command === 'lost-found' && rest[0] === 'restore' && (rest.length === 2 || rest.length === 3)) {
    const workspace = rest[2] === undefined ? undefined : await findNamedWorkspace(db, rest[2]);
    await restoreLostFound(db, settings.dataDirectory, rest[1] ?? '', workspace);
  } else {
    throw new StartupError(usage);
  }
  await db.destroy();
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!(error instanceof Error)) throw error;
  const inCatalog = settings && code.startsWith('SQLITE_') ? toStartupError(error, settings.dataDirectory) : undefined;
  const wrongOption = code.startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof StartupError) && !inCatalog && !wrongOption) throw error;
  console.error(wrongOption ? `${error.message}\n\n${usage}` : (inCatalog ?? error).message);
  process.exit(1);
}

/** What was asked for; the usage when an option is unknown. */
function readArguments() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  return parseArgs({
    allowPositionals: true,
    options: {
      repair: flag,
      force: flag,
      'skip-damaged': flag,
      owner: text,
      name: text,
      'storage-bytes': text,
      'media-items': text,
      'indexed-seconds': text,
      'searches-per-month': text,
    },
  });
}

function readPlanChanges(): Partial<Omit<Plan, 'id'>> {
  const changes: Partial<Omit<Plan, 'id'>> = values.name === undefined ? {} : { name: values.name };
  for (const limit of limitNames) {
    const option = limit.replaceAll('_', '-') as 'storage-bytes';
    const value = values[option];
    if (value === undefined) continue;
    if (value !== 'unlimited' && !/^\d{1,15}$/.test(value)) {
      throw new StartupError(`--${option} must be a whole number or "unlimited".`);
    }
    changes[limit] = value === 'unlimited' ? null : Number(value);
  }
  return changes;
}

function describePlan(plan: Plan): string {
  const limits = limitNames.map((limit) => `${limit.replaceAll('_', ' ')} ${plan[limit] ?? 'unlimited'}`);
  return `${plan.id}  ${plan.name}  ${limits.join(', ')}`;
}

async function findNamedWorkspace(db: Catalog, name: string | undefined): Promise<WorkspaceRow> {
  const workspaces = await listWorkspaces(db);
  const found = name === undefined ? workspaces[0] : workspaces.find((each) => each.id === name || each.name === name);
  if (found) return found;
  const names = workspaces.map((each) => each.name).join(', ');
  throw new StartupError(`There is no workspace named ${name}. There are: ${names}.`);
}

import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { AssetStore } from '../../assets/asset-store.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import { readStorageSettings } from '../../assets/storage-settings.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { secretFile } from '../../platform/crypto/secrets.ts';
import { copyFile } from '../../platform/storage/copy-file.ts';
import type { CatalogLocation } from '../../platform/storage/data-directory.ts';
import { catalogFile, lockDataDirectory, prepareDataDirectory } from '../../platform/storage/data-directory.ts';
import { syncToDisk } from '../../platform/storage/durable-files.ts';
import { createScratch, emptyScratch } from '../../platform/storage/scratch.ts';
import type { Settings } from '../../settings.ts';
import { openDataCatalog, openSecrets } from '../open-data-directory.ts';
import { type MoveTargets, parseMoveTargets, withoutPassword } from '../transfer/move-targets.ts';
import { move, type MoveReport } from '../transfer/move.ts';
import { exitStatus, reportFailures } from './backup.ts';
import { exclude } from './exclude.ts';
import { createMoveProgress, formatBytes } from './progress.ts';

/** Where everything is that is moved. */
type SourceSettings = Pick<Settings, 'dataDirectory' | 'databaseUrl' | 'secretKeyFile' | 'storage'>;

/**
 * `admin migrate`: copies everything to where the words say.
 * @returns the exit status
 */
export async function runMigrate(settings: SourceSettings, words: string[]): Promise<number> {
  const { dataDirectory, databaseUrl } = settings;
  const progress = createMoveProgress();
  return reportFailures(dataDirectory, progress, async () => {
    const targets = parseMoveTargets(words);
    process.umask(0o077);
    await using stack = new AsyncDisposableStack();
    // On another machine than the service's, the folder need not be there: it then holds only what is on its way.
    if (databaseUrl !== null) await prepareDataDirectory(dataDirectory);
    stack.use(lockDataDirectory(dataDirectory));
    if (databaseUrl !== null) stack.use(await exclude(databaseUrl));
    const { assets } = await openStoredFiles(settings);
    const db = await openDataCatalog(settings, assets, { atStart: false, leaving: true });
    stack.defer(() => db.destroy());
    // Under another secret key no key of the catalog can be read, wherever it is.
    await openSecrets(settings, db);
    const target = await openTarget(settings, targets, stack);
    // What an interrupted one left.
    await emptyScratch(targets.folder ?? dataDirectory);
    const scratch = createScratch(targets.folder ?? dataDirectory);
    const report = await move({
      source: { db, assets },
      target,
      targetName: describe(targets),
      scratch,
      progress,
      accept: () => true,
    });
    if (targets.folder !== null) await copySecret(settings.secretKeyFile, targets.folder);
    progress.end();
    return print(report, settings, targets);
  });
}

type Target = { catalog: CatalogLocation | null; assets: AssetStore | null };

async function openTarget(
  { dataDirectory, databaseUrl, storage: from }: SourceSettings,
  { database, storage, folder }: MoveTargets,
  stack: AsyncDisposableStack,
): Promise<Target> {
  if (folder !== null) {
    const isHere = path.relative(dataDirectory, folder) === '';
    if (isHere && databaseUrl === null && from === null) {
      throw new StartupError(`Everything is in ${folder} already.`);
    }
    if (!isHere) {
      await prepareDataDirectory(folder);
      stack.use(lockDataDirectory(folder));
    }
    return {
      catalog: isHere && databaseUrl === null ? null : { file: catalogFile(folder) },
      assets: isHere && from === null ? null : createFileAssetStore(folder),
    };
  }
  if (database !== null && database === databaseUrl) throw new StartupError('The catalog is in that database already.');
  if (database !== null) stack.use(await exclude(database));
  return {
    catalog: database === null ? null : { url: database },
    assets: storage === null ? null : await openBucket(storage, dataDirectory, from),
  };
}

/** A bucket, with the credentials of the environment, which a move keeps. */
async function openBucket(url: string, dataDirectory: string, from: Settings['storage']): Promise<AssetStore> {
  // oxlint-disable-next-line node/no-process-env -- the variables of AWS
  const storage = readStorageSettings({ ...process.env, STORAGE_URL: url });
  if (storage && from && storage.bucket === from.bucket && storage.prefix === from.prefix) {
    throw new StartupError('The files are in that bucket already.');
  }
  return (await openStoredFiles({ dataDirectory, storage })).assets;
}

const describe = ({ database, storage, folder }: MoveTargets): string =>
  [database, storage].flatMap((url) => (url === null ? [] : [withoutPassword(url)])).join(' and ') || (folder ?? '');

async function copySecret(from: string, folder: string): Promise<void> {
  const into = secretFile(folder);
  // What looked at the catalog while it was empty, such as a check, has made a key that no row needs.
  if (existsSync(into) && !(await readFile(into)).equals(await readFile(from))) {
    await rename(into, `${into}.replaced-${Date.now()}`);
  }
  if (!existsSync(into)) await copyFile(from, into);
  await syncToDisk(folder);
}

/** @returns the exit status */
function print(
  { rows, assets }: MoveReport,
  { dataDirectory, secretKeyFile }: Pick<Settings, 'dataDirectory' | 'secretKeyFile'>,
  targets: MoveTargets,
): number {
  const parts = [
    ...(rows === null ? [] : [`${rows} rows`]),
    ...(assets === null ? [] : [`${assets.items} items (${formatBytes(assets.bytes)})`]),
  ];
  console.log(`Copied ${parts.join(' and ')} to ${describe(targets)}, and compared what arrived with what was sent.`);
  for (const { message } of assets?.problems ?? []) console.error(message);
  const settings = [
    ...(targets.database === null ? [] : ['DATABASE_URL']),
    ...(targets.storage === null ? [] : ['STORAGE_URL']),
    ...(targets.folder === null ? [] : ['DATA_DIR']),
  ];
  console.log(
    `Set ${settings.join(' and ')} to it before the next start. What was copied is still in ${dataDirectory}.`,
  );
  if (targets.folder === null) {
    console.log(`The secret key stays in ${secretKeyFile}: every process needs it, there or as SECRET_KEY_FILE.`);
  }
  return assets && assets.problems.length > 0 ? exitStatus.findings : exitStatus.done;
}

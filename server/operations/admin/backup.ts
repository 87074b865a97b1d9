import { realpath } from 'node:fs/promises';
import path from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { classifySystemError } from '../../errors/system-errors.ts';
import { locateCatalog, lockDataDirectory, prepareDataDirectory } from '../../platform/storage/data-directory.ts';
import { createScratch, emptyScratch } from '../../platform/storage/scratch.ts';
import type { Settings } from '../../settings.ts';
import { openDataCatalog, openSecrets } from '../open-data-directory.ts';
import { readManifest } from '../transfer/backup-folder.ts';
import { createBackup } from '../transfer/create-backup.ts';
import { withoutPassword } from '../transfer/move-targets.ts';
import { restoreBackup, restoreElsewhere, type RestoreReport } from '../transfer/restore-backup.ts';
import { exclude } from './exclude.ts';
import { createMoveProgress, createProgress, formatBytes } from './progress.ts';

/** Exit statuses of the commands on the data folder. */
export const exitStatus = { done: 0, findings: 1, impossible: 2 };

/** `admin backup`: @returns the exit status */
export async function runBackup(
  settings: Pick<Settings, 'dataDirectory' | 'databaseUrl' | 'secretKeyFile' | 'storage'>,
  folder: string,
): Promise<number> {
  const { dataDirectory } = settings;
  const progress = createProgress('Backing up');
  return reportFailures(folder, progress, async () => {
    await refuseNesting(dataDirectory, folder);
    // Copies are private, as what they are copied from.
    process.umask(0o077);
    const { assets } = await openStoredFiles(settings);
    const db = await openDataCatalog(settings, assets, { atStart: false });
    try {
      // With another secret key than its catalog's, a backup would open no API key.
      await openSecrets(settings, db);
      const report = await createBackup({ db, assets, ...settings, folder, software: packageJson.version, progress });
      const { items, elsewhere, bytes, copied, removed, missing } = report;
      console.log(
        `Backed up ${items} items (${formatBytes(bytes)}) into ${folder}: ${copied} new, ${removed} removed since the last backup.`,
      );
      if (elsewhere > 0) console.log(sayElsewhere(elsewhere));
      console.log(
        `It holds secret.key, which decrypts every API key: keep the folder private. Models are not part of it.`,
      );
      for (const { id, filename, problem } of missing) {
        console.error(`The original of ${filename} (${id}) is ${problem}, and not in the backup.`);
      }
      return missing.length > 0 ? exitStatus.findings : exitStatus.done;
    } finally {
      await db.destroy();
    }
  });
}

/** That a backup lacks originals which the service does not own. */
const sayElsewhere = (items: number): string =>
  `The originals of ${items} items are in sources, and not in the backup: back up those folders and buckets by themselves.`;

type RestoreSettings = Pick<Settings, 'dataDirectory' | 'databaseUrl' | 'secretKeyFile' | 'storage'>;

/** `admin restore`: @returns the exit status */
export async function runRestore(
  settings: RestoreSettings,
  folder: string,
  options: { force: boolean; skipDamaged: boolean },
): Promise<number> {
  const { dataDirectory, databaseUrl, storage } = settings;
  const inFolder = databaseUrl === null && storage === null;
  const progress = inFolder ? createProgress('Restoring') : createMoveProgress();
  return reportFailures(folder, progress, async () => {
    await refuseNesting(dataDirectory, folder);
    process.umask(0o077);
    const { created_at, items, problems, replaced } =
      'rows' in progress
        ? await restoreToServers(settings, { folder, skipDamaged: options.skipDamaged, progress })
        : await restoreBackup({ folder, dataDirectory, ...options, progress });
    const where = inFolder ? ` into ${dataDirectory}. Start the service with npm start.` : '. Start the service.';
    console.log(`Restored ${items} items as of ${created_at}${where}`);
    const { elsewhere } = await readManifest(folder);
    if (elsewhere > 0)
      console.log(
        `The originals of ${elsewhere} items are read in their sources, where this machine has them in the same place.`,
      );
    if (replaced)
      console.log(`What the data folder held before is in ${replaced}; delete it when you no longer need it.`);
    for (const problem of problems) console.error(problem);
    return problems.length > 0 ? exitStatus.findings : exitStatus.done;
  });
}

/** Restores where a data folder is not what holds everything. */
async function restoreToServers(
  settings: RestoreSettings,
  restore: { folder: string; skipDamaged: boolean; progress: ReturnType<typeof createMoveProgress> },
): Promise<RestoreReport> {
  const { dataDirectory, databaseUrl, secretKeyFile } = settings;
  await prepareDataDirectory(dataDirectory);
  using lock = lockDataDirectory(dataDirectory);
  await using alone = databaseUrl === null ? null : await exclude(databaseUrl);
  void [lock, alone];
  // What an interrupted one left.
  await emptyScratch(dataDirectory);
  const { assets } = await openStoredFiles(settings);
  // Awaited here: both locks end with this function.
  return await restoreElsewhere({
    ...restore,
    target: { catalog: locateCatalog(settings), assets },
    targetName: databaseUrl === null ? dataDirectory : withoutPassword(databaseUrl),
    secretFile: secretKeyFile,
    scratch: createScratch(dataDirectory),
  });
}

/** Runs a command. A failure that an operator can do something about is printed as a sentence. */
export async function reportFailures(
  folder: string,
  progress: { end(): void },
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const sentence = describeFailure(error, folder);
    if (sentence === undefined) throw error;
    progress.end();
    console.error(sentence);
    return exitStatus.impossible;
  } finally {
    progress.end();
  }
}

/** A failure as a sentence for the operator; undefined for a bug. */
function describeFailure(error: unknown, folder: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof StartupError) return error.message;
  const failure = classifySystemError(error);
  if (failure === 'disk_full') return 'The disk is full. Make room and run this again: it resumes where it stopped.';
  if (failure === 'catalog_damaged') {
    return `The catalog is damaged (${error.message}); npm run --silent admin -- check says where. An earlier backup in ${folder} is as it was.`;
  }
  if (!('code' in error)) return undefined;
  return `It cannot continue: ${error.message.replace(/\.$/, '')}. What was done so far is kept; run this again when that is repaired.`;
}

/** Refuses a backup within the data folder, which would back itself up and be lost with it, and the other way round. Throws `StartupError`. */
async function refuseNesting(dataDirectory: string, folder: string): Promise<void> {
  const [data, backup] = [await existingPath(dataDirectory), await existingPath(folder)];
  const within = (inner: string, outer: string) => !path.relative(outer, inner).startsWith('..');
  if (within(data, backup) || within(backup, data)) {
    throw new StartupError(
      `The backup folder ${folder} and the data folder ${dataDirectory} must not contain each other.`,
    );
  }
}

/** The real path of a folder, as far as it exists. */
async function existingPath(folder: string): Promise<string> {
  return realpath(folder).catch(async () => path.join(await existingPath(path.dirname(folder)), path.basename(folder)));
}

import type { HistoryNote } from '../../assets/history-note.ts';
import { openStoredFiles } from '../../assets/open-stored-files.ts';
import { enqueueReindexing } from '../../catalog/integrity-queries.ts';
import { beginTimeline } from '../../catalog/media/timelines.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { StartupError } from '../../errors/startup-error.ts';
import { locateCatalog, lockDataDirectory } from '../../platform/storage/data-directory.ts';
import type { Settings } from '../../settings.ts';
import { checkData, checkDatabase, type DataReport } from '../check/check-data.ts';
import type { Finding } from '../check/check-derived-files.ts';
import { isOlderCopy } from '../check/known-history.ts';
import { reindexMedia } from '../check/reindex-media.ts';
import { openDataCatalog, openSecrets } from '../open-data-directory.ts';
import { exitStatus, reportFailures } from './backup.ts';
import { exclude } from './exclude.ts';
import { createProgress, formatBytes } from './progress.ts';

/**
 * `admin check`: prints what is wrong with catalog and files.
 * @param options.repair rebuilds what can be derived from originals
 * @returns the exit status
 */
export async function runCheck(settings: Settings, { repair }: { repair: boolean }): Promise<number> {
  const { dataDirectory } = settings;
  const limits = { maxSeconds: settings.maxVideoSeconds, maxFrames: settings.maxVideoFrames };
  const progress = createProgress('Checking');
  return reportFailures(dataDirectory, progress, async () => {
    const { assets, partialFiles, lostAndFound, historyNote } = await openStoredFiles(settings);
    const db = await openDataCatalog(settings, assets, { atStart: false });
    try {
      const damage = await checkDatabase(db);
      if (damage.length > 0) {
        const status = await report(`The catalog is damaged, so nothing else was checked: `, damage, repair);
        if (status !== exitStatus.done) return status;
      }
      const findings = [...(await checkSecret(settings, db)), ...(await checkHistory(settings, db, historyNote))];
      const { findings: more, ...checked } = await checkData({
        db,
        assets,
        partialFiles,
        lostAndFound,
        dataDirectory,
        running: await isServiceRunning(settings),
        progress,
        reindex: (media) =>
          media.source_id === null
            ? reindexMedia({ dataDirectory, media, limits }, { assets, location: locateCatalog(settings) })
            : enqueueReindexing(db, media),
      });
      findings.push(...more);
      // No service need have started since a copy of the catalog was put in place.
      if (repair) await beginTimeline(db);
      return await report(`${describeChecked(checked)}: `, findings, repair);
    } finally {
      await db.destroy();
    }
  });
}

function describeChecked({ items, bytes, inSources }: Omit<DataReport, 'findings'>): string {
  const inPlace = inSources === 0 ? '' : ` (those of ${inSources} are in sources, whose scans check them)`;
  return `Checked ${items} items with ${formatBytes(bytes)} of originals${inPlace}`;
}

/** Prints findings and repairs them when asked to. @returns the exit status */
async function report(head: string, findings: Finding[], repair: boolean): Promise<number> {
  console.log(`${head}${describeCount(findings.length)}.`);
  for (const { subject: about, message } of findings) console.log(`  ${about}: ${message}`);
  if (findings.length === 0) return exitStatus.done;
  if (repair) return (await repairAll(findings)) === findings.length ? exitStatus.done : exitStatus.findings;
  const repairable = findings.filter(({ repair: mend }) => mend !== null).length;
  if (repairable > 0) console.log(`${repairable} of them can be repaired with --repair.`);
  return exitStatus.findings;
}

async function checkSecret(settings: Settings, db: Catalog): Promise<Finding[]> {
  try {
    await openSecrets(settings, db);
    return [];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return [{ subject: 'secret.key', message: error.message, repair: null }];
  }
}

/** An older copy that no service was started on yet: a start says so once, and goes on from there. */
async function checkHistory({ databaseUrl }: Settings, db: Catalog, historyNote: HistoryNote): Promise<Finding[]> {
  if (databaseUrl !== null || !(await isOlderCopy(db, historyNote))) return [];
  const message =
    'it is an older copy than the service used last: what was deleted since is listed again, and the next start moves what was uploaded since to lost+found';
  return [{ subject: 'catalog.db', message, repair: null }];
}

/** Whether a service uses the catalog. */
async function isServiceRunning({ dataDirectory, databaseUrl }: Settings): Promise<boolean> {
  try {
    if (databaseUrl === null) lockDataDirectory(dataDirectory)[Symbol.dispose]();
    else await (await exclude(databaseUrl))[Symbol.asyncDispose]();
    return false;
  } catch (error) {
    if (error instanceof StartupError) return true;
    throw error;
  }
}

const describeCount = (count: number): string =>
  count === 0 ? 'nothing is wrong' : `${count} ${count === 1 ? 'finding' : 'findings'}`;

/** Repairs what can be repaired and prints the outcome. @returns how many findings were repaired */
async function repairAll(findings: Finding[]): Promise<number> {
  const outcomes = new Map<string, boolean>();
  let repaired = 0;
  for (const { subject: about, repair: mend } of findings) {
    if (!mend) continue;
    if (!outcomes.has(mend.key)) {
      const failure = await mend.run().then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      console.log(failure === null ? `Repaired: ${about}` : `Not repaired: ${about}: ${failure}`);
      outcomes.set(mend.key, failure === null);
    }
    if (outcomes.get(mend.key)) repaired += 1;
  }
  console.log(
    `${repaired} of ${findings.length} repaired. Originals are never changed: restore them from a backup, or upload them again.`,
  );
  return repaired;
}

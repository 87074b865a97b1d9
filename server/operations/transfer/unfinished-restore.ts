import { existsSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from '../../errors/startup-error.ts';

/** The folder in a data folder that a restore copies to; it exists until the restore is complete. */
export const stagingName = 'restoring';
/** In it once all files are copied and are being moved into place. */
export const stateName = 'state.json';

/** Refuses a data folder with an interrupted restore: it may hold parts of two catalogs. Throws `StartupError`. */
export function refuseUnfinishedRestore(dataDirectory: string): void {
  const staging = path.join(dataDirectory, stagingName);
  if (!existsSync(staging)) return;
  const otherwise = existsSync(path.join(staging, stateName))
    ? ''
    : ` To keep using what the data folder held before, remove the folder ${staging}.`;
  throw new StartupError(
    `A restore into ${dataDirectory} was interrupted; run npm run --silent admin -- restore FOLDER again.${otherwise}`,
  );
}

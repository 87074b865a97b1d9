import { existsSync } from 'node:fs';
import path from 'node:path';
import { StartupError } from '../settings.ts';

/** Where a restore gathers what it restores, within the data folder; there until the restore is complete. */
export const stagingName = 'restoring';
/** Stands in it once all is gathered and its move to its place has begun. */
export const stateName = 'state.json';

/** Refuses a data folder that a restore was broken off in: what is there may be half of two catalogs. Throws `StartupError`. */
export function refuseUnfinishedRestore(dataDirectory: string): void {
  const staging = path.join(dataDirectory, stagingName);
  if (!existsSync(staging)) return;
  const otherwise = existsSync(path.join(staging, stateName))
    ? ''
    : ` To go on with what was there before, remove the folder ${staging}.`;
  throw new StartupError(
    `A restore into ${dataDirectory} was not finished; run npm run --silent admin -- restore FOLDER again.${otherwise}`,
  );
}

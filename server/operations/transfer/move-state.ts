import { randomUUID } from 'node:crypto';
import type { Catalog } from '../../catalog/schema.ts';
import { forgetSetting, readSetting, writeSetting } from '../../catalog/service-settings.ts';
import { StartupError } from '../../errors/startup-error.ts';
import type { Value } from './rows.ts';
import { arrivingSetting, leavingSetting, type TableName } from './tables.ts';

/** Kept in a catalog while rows of another arrive in it. No service starts on it before they have all arrived. */
export type Arrival = {
  /** Identifies this move: the source has it too, until something opens the source to change it. */
  move: string;
  /** The first workspace of the source: a move of another catalog does not go on here. */
  catalog: string;
  /** How to make the triggers again, which are away meanwhile. */
  triggers: string[];
  /** Which rows have arrived: all tables before this one, and of this one those up to a key. Null: all. */
  progress: { table: TableName; after: Value[] | null } | null;
};

export async function readArrival(db: Catalog): Promise<Arrival | null> {
  const value = await readSetting(db, arrivingSetting);
  return value === null ? null : (JSON.parse(value) as Arrival);
}

export const writeArrival = (db: Catalog, arrival: Arrival): Promise<void> =>
  writeSetting(db, arrivingSetting, JSON.stringify(arrival));

export const forgetArrival = (db: Catalog): Promise<void> => forgetSetting(db, arrivingSetting);

/**
 * The identifier of the move out of a catalog that nothing may change meanwhile: the same as last time where nothing opened it since then.
 */
export async function beginDeparture(db: Catalog): Promise<string> {
  const known = await readSetting(db, leavingSetting);
  if (known !== null) return known;
  const move = randomUUID();
  await writeSetting(db, leavingSetting, move);
  return move;
}

/** Whether nothing opened a catalog to use it since its move began. */
export const isDeparting = async (db: Catalog, move: string): Promise<boolean> =>
  (await readSetting(db, leavingSetting)) === move;

/**
 * To be called by whatever opens a catalog to use it. A move out of it begins again, because rows may change from now on.
 * Throws `StartupError` where rows of another catalog are still to come.
 */
export async function refuseUnfinishedMove(db: Catalog): Promise<void> {
  if ((await readArrival(db)) !== null) {
    throw new StartupError('A move into this catalog was interrupted; run npm run --silent admin -- migrate again.');
  }
  await forgetSetting(db, leavingSetting);
}

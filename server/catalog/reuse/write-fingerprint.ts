import { encodeFingerprint, type Fingerprint, fingerprintVersion } from '@media-search/indexing/reuse/fingerprint';
import type { Catalog } from '../schema.ts';

type Owner = { workspace_id: string; id: string };

/** Writes the fingerprint of an item in place of an earlier one. */
export async function writeFingerprint(db: Catalog, item: Owner, fingerprint: Fingerprint): Promise<void> {
  const made = {
    frames: encodeFingerprint(fingerprint),
    version: fingerprintVersion,
    made_at: new Date().toISOString(),
  };
  await db
    .insertInto('fingerprints')
    .values({ workspace_id: item.workspace_id, media_id: item.id, ...made })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'media_id']).doUpdateSet(made))
    .execute();
}

/** Stores that an item has no fingerprint: its file could not be read for it, so that it is not read again and again. */
export const giveUpFingerprint = (db: Catalog, item: Owner): Promise<void> => writeFingerprint(db, item, []);

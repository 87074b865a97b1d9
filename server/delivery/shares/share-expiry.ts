import type { Catalog } from '../../catalog/schema.ts';
import { deleteExpiredShares } from '../../catalog/shares/shares.ts';
import type { ShareFiles } from './share-files.ts';

/** Deletes the links that have expired, with what was made for them. They are refused from the second on at which they expire. */
export async function removeExpiredShares(db: Catalog, shareFiles: ShareFiles): Promise<void> {
  for (const share of await deleteExpiredShares(db)) await shareFiles.remove(share);
}

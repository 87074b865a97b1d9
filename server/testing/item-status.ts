import type { Catalog } from '../catalog/schema.ts';

/** Sets the status of an item that has no job, so that it stays as it is set. */
export async function setItemStatus(db: Catalog, id: string, status: 'pending' | 'complete'): Promise<void> {
  await db
    .updateTable('media_items')
    .set({ status, updated_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute();
}

import type { Catalog } from '../schema.ts';

type Owner = { workspace_id: string; id: string };

/** The error of an item in status `error`, with a message for the uploader. */
export type ItemError = { code: string; message: string };

/** The error of an item whose attempts were all interrupted. */
export const attemptsExhaustedError = (attempts: number): ItemError => ({
  code: 'indexing_failed',
  message: `Indexing broke off ${attempts} times. The file may be damaged: play it, export it again and upload that.`,
});

/** The columns of an item that is to be indexed again, whatever it was before. */
export const queuedAgain = {
  status: 'pending',
  stage: 'queued',
  fraction: 0,
  error_code: null,
  error_message: null,
} as const;

/** A worker indexes the item. */
export async function markItemIndexing(db: Catalog, item: Owner): Promise<void> {
  await updateItem(db, item).set({ status: 'indexing', updated_at: new Date().toISOString() }).execute();
}

/** The item waits for a worker. */
export async function markItemPending(db: Catalog, item: Owner): Promise<void> {
  await updateItem(db, item)
    .set({ status: 'pending', stage: 'queued', updated_at: new Date().toISOString() })
    .execute();
}

/** The item cannot be indexed. */
export async function failItem(db: Catalog, item: Owner, error: ItemError): Promise<void> {
  await updateItem(db, item)
    .set({
      status: 'error',
      stage: null,
      fraction: null,
      error_code: error.code,
      error_message: error.message,
      updated_at: new Date().toISOString(),
    })
    .execute();
}

const updateItem = (db: Catalog, { workspace_id, id }: Owner) =>
  db.updateTable('media_items').where('workspace_id', '=', workspace_id).where('id', '=', id);

import { randomUUIDv7 } from 'node:crypto';
import { queuedAgain } from '../media/item-status.ts';
import type { Catalog } from '../schema.ts';
import { addFiles, addItems, noRoom, readRoom } from './add-files.ts';
import { requestIndexing } from './request-indexing.ts';
import {
  bringBack,
  columnsOf,
  findFiles,
  type FoundFile,
  markSeen,
  noProblem,
  seenBy,
  type SourceFileRow,
  type SourceKey,
  updateFiles,
} from './source-files.ts';

/**
 * Notes that files changed where they are: their items are indexed again in place. A file whose item a person deleted, or that had no room in the
 * plan, gets a new one as soon as there is room.
 * @returns how many were changed
 */
export async function changeFiles(db: Catalog, source: SourceKey, scan: number, files: FoundFile[]): Promise<number> {
  // As they are now: another scan may have stored them since they were compared.
  const rows = await findFiles(
    db,
    source,
    files.map((file) => file.path),
  );
  let changed = 0;
  for (const file of files) {
    const row = rows.get(file.path);
    if (!row) changed += await addFiles(db, source, scan, [file]);
    else if (row.media_id !== null && isStoredAs(row, file)) await markSeen(db, source, scan, [row], new Map());
    else if (await changeFile(db, source, scan, { row, file })) changed += 1;
  }
  await bringBack(db, source, [...rows.values()]);
  return changed;
}

const isStoredAs = (row: SourceFileRow, file: FoundFile): boolean =>
  row.size === file.size &&
  row.modified_ms === file.modified_ms &&
  row.identity === file.identity &&
  row.sidecars === file.sidecars;

async function changeFile(
  db: Catalog,
  source: SourceKey,
  scan: number,
  { row, file }: { row: SourceFileRow; file: FoundFile },
): Promise<boolean> {
  const isItem = row.media_id !== null && (await resetItem(db, source, row.media_id, file.size));
  const id = isItem ? row.media_id : (await readRoom(db, source)) > 0 ? randomUUIDv7() : null;
  await updateFiles(db, source)
    .set({
      ...columnsOf(file),
      media_id: id,
      seen: seenBy(scan),
      missing: 0,
      quick_hash: null,
      full_hash: null,
      ...(id === null ? noRoom : noProblem),
    })
    .where('path', '=', row.path)
    .execute();
  if (id === null) return false;
  if (isItem) await requestIndexing(db, source, [{ id, type: file.type }]);
  else await addItems(db, source, [{ id, file }]);
  return true;
}

/** @returns whether there is such an item */
async function resetItem(db: Catalog, { workspace_id }: SourceKey, id: string, size: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('media_items')
    .set({ ...queuedAgain, size, updated_at: new Date().toISOString() })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

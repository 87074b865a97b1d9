import path from 'node:path';
import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';
import {
  bringBack,
  columnsOf,
  deleteFiles,
  filesOf,
  folderOf,
  type FoundFile,
  noProblem,
  retryMissing,
  seenBy,
  type SourceFileRow,
  type SourceKey,
  updateFiles,
} from './source-files.ts';

/** In front of the paths of files that are being moved, so that two can change places. No path of a file begins so. */
const movingPrefix = '/moving/';
/** In front of the paths of files whose places others have taken, until a scan finds them elsewhere or misses them. No path of a file begins so. */
const displacedPrefix = '/displaced/';

/** Whether a known file has no place at the moment. Its path is never to be looked for. */
export const isDisplaced = ({ path: file }: Pick<SourceFileRow, 'path'>): boolean => file.startsWith(displacedPrefix);

/** A known file and where it is now. */
export type Move = { row: SourceFileRow; file: FoundFile };

/**
 * Moves files to other paths: the items stay the same. A name that a person gave to an item stays too. A move that another scan made already is
 * left as it is.
 */
export async function moveFiles(db: Catalog, source: SourceKey, scan: number, moves: Move[]): Promise<void> {
  const own: Move[] = [];
  for (const move of moves) {
    const { numUpdatedRows } = await updateFiles(db, source)
      .set({ path: movingPrefix + move.row.path })
      .where('path', '=', move.row.path)
      .where('media_id', '=', move.row.media_id)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) own.push(move);
    else await noteMoved(db, source, scan, move);
  }
  for (const { row, file } of own) {
    await vacate(db, source, file.path);
    await updateFiles(db, source)
      .set({ ...columnsOf(file), seen: seenBy(scan), missing: 0, ...noProblem })
      .where('path', '=', movingPrefix + row.path)
      .execute();
    const [before, after] = [path.posix.basename(row.path), path.posix.basename(file.path)];
    await db
      .updateTable('media_items')
      .set({
        source_path: file.path,
        folder: folderOf(file.path),
        filename: sql<string>`case when filename = ${before} then ${after} else filename end`,
        updated_at: new Date().toISOString(),
      })
      .where('workspace_id', '=', source.workspace_id)
      .where('id', '=', row.media_id ?? '')
      .execute();
  }
  const rows = own.map(({ row }) => row);
  await bringBack(db, source, rows);
  await retryMissing(db, source, rows);
}

async function noteMoved(db: Catalog, source: SourceKey, scan: number, { row, file }: Move): Promise<void> {
  await updateFiles(db, source)
    .set({ seen: seenBy(scan) })
    .where('path', '=', file.path)
    .where('media_id', '=', row.media_id)
    .execute();
}

/**
 * Forgets what was known at a path, such as a problem. A file with an item is kept without a place: it may have been renamed to where this scan has
 * been already.
 */
async function vacate(db: Catalog, source: SourceKey, file: string): Promise<void> {
  const { media_id: id } =
    (await filesOf(db, source).select('media_id').where('path', '=', file).executeTakeFirst()) ?? {};
  if (id === undefined) return;
  if (id === null) return deleteFiles(db, source, [file]);
  const place = `${displacedPrefix}${id}/${path.posix.basename(file)}`;
  await updateFiles(db, source).set({ path: place }).where('path', '=', file).execute();
  await db
    .updateTable('media_items')
    .set({ source_path: place, updated_at: new Date().toISOString() })
    .where('workspace_id', '=', source.workspace_id)
    .where('id', '=', id)
    .execute();
}

import { randomUUIDv7 } from 'node:crypto';
import path from 'node:path';
import { sql } from 'kysely';
import { readUploadRoom } from '../accounts/quota.ts';
import { columnNames } from '../dialect/column-names.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { requestIndexing } from './request-indexing.ts';
import {
  columnsOf,
  folderOf,
  type FoundFile,
  insertRows,
  noProblem,
  problemOf,
  type SourceKey,
} from './source-files.ts';

/** How many items of files the plan has room for. */
export async function readRoom(db: Catalog, { workspace_id }: SourceKey): Promise<number> {
  const room = await readUploadRoom(db, workspace_id);
  return room.findViolation(null) ? 0 : (room.items ?? Infinity);
}

export const noRoom = problemOf({ code: 'quota_exceeded', message: 'The plan has no room for more items.' });

/**
 * Adds files of a source with items to be indexed.
 * @returns how many were added; the others were added meanwhile, or the plan has no room for them: then they have a problem
 */
export async function addFiles(db: Catalog, source: SourceKey, scan: number, files: FoundFile[]): Promise<number> {
  const room = await readRoom(db, source);
  // Those of one millisecond are random: lists show what was added at once in the order in which it was found.
  const ids = files.map(() => randomUUIDv7()).toSorted((a, b) => (a < b ? -1 : 1));
  const rows = files.map((file, i) => ({
    workspace_id: source.workspace_id,
    source_id: source.id,
    ...columnsOf(file),
    media_id: i < room ? (ids[i] ?? null) : null,
    seen: scan,
    ...(i < room ? noProblem : noRoom),
  }));
  const { rows: inserted } = await sql<{ path: string }>`
    ${insertRows(db, rows)} on conflict do nothing returning path`.execute(db);
  const stored = new Set(inserted.map((row) => row.path));
  const items = rows.flatMap(({ path: name, media_id: id }, i) => {
    const file = files[i];
    return file && id !== null && stored.has(name) ? [{ id, file }] : [];
  });
  await addItems(db, source, items);
  return items.length;
}

/** An item of a file that was found. */
type NewItem = { id: string; file: FoundFile };

export async function addItems(db: Catalog, source: SourceKey, items: NewItem[]): Promise<void> {
  if (items.length === 0) return;
  const now = new Date().toISOString();
  const rows = items.map(({ id, file }) => ({
    workspace_id: source.workspace_id,
    id,
    filename: path.posix.basename(file.path),
    type: file.type,
    mime_type: file.mimeType,
    size: file.size,
    sha256: `source:${id}`,
    source_id: source.id,
    source_path: file.path,
    folder: folderOf(file.path),
    status: 'pending',
    stage: 'queued',
    fraction: 0,
    // Until the file itself was read.
    ...takenOf(file),
    created_at: now,
    updated_at: now,
  }));
  await sql`insert into media_items (${columnNames(itemColumns)}) ${dialectOf(db).rowsIn(itemColumns, rows)}`.execute(
    db,
  );
  await requestIndexing(
    db,
    source,
    items.map(({ id, file }) => ({ id, type: file.type })),
  );
}

const itemColumns = {
  workspace_id: 'text',
  id: 'text',
  filename: 'text',
  type: 'text',
  mime_type: 'text',
  size: 'integer',
  sha256: 'text',
  source_id: 'text',
  source_path: 'text',
  folder: 'text',
  status: 'text',
  stage: 'text',
  fraction: 'real',
  taken_at: 'text',
  taken_source: 'text',
  created_at: 'text',
  updated_at: 'text',
} as const;

/** Times that are texts of four digits for the year, which sort by time. */
const [firstTime, endOfTimes] = [Date.parse('0000-01-01T00:00:00Z'), Date.UTC(10_000, 0)];

/** When a file may have been made. A broken clock or program dates some beyond all years: those have no time. */
const takenOf = ({ modified_ms: ms }: FoundFile) =>
  ms >= firstTime && ms < endOfTimes
    ? { taken_at: new Date(ms).toISOString(), taken_source: 'Modification time of the file' }
    : { taken_at: null, taken_source: null };

import type { Catalog } from '../schema.ts';

/** A file that lies beside an item of a source and belongs to it, such as its subtitles. */
export type SidecarRow = {
  /** Below the root, with slashes. */
  path: string;
  /** Bytes, as it was listed. */
  size: number;
};

/** The sidecars of an item in a source, of all kinds, as the last scan listed them; none of an upload. */
export async function readSidecarRows(
  db: Catalog,
  { workspace_id, id, source_id }: { workspace_id: string; id: string; source_id: string | null },
): Promise<SidecarRow[]> {
  if (source_id === null) return [];
  const row = await db
    .selectFrom('source_files')
    .select('sidecars')
    .where('workspace_id', '=', workspace_id)
    .where('source_id', '=', source_id)
    .where('media_id', '=', id)
    .executeTakeFirst();
  return row ? (JSON.parse(row.sidecars) as SidecarRow[]) : [];
}

import type { SearchReader } from '@media-search/search-engine/ranking/search-tasks';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { openCatalogAt } from '../catalog-location.ts';
import { findHolding, labelTables, type NamedLabel, toLabelMatches } from '../labels/label-names.ts';
import { normaliseName } from '../labels/normalise-name.ts';
import type { Catalog } from '../schema.ts';
import { readTexts } from './open-postings.ts';

/** Names that a thread keeps, of all workspaces together: some tens of megabytes. */
const maxNames = 200_000;

/**
 * What a search thread reads of a catalog in PostgreSQL. The names of labels are kept in memory and read again when the task knows another version of them (migration 0051), so
 * that words cost no round trip; texts are read for phrases, exclusions and near-duplicates only.
 * @param url of the database
 * Throws `StartupError` when it cannot be used.
 */
export async function openPostgresSearchReader(url: string): Promise<SearchReader> {
  const db = await openCatalogAt({ url }, { migrate: false, connections: 1 });
  const known = new LRUCache<string, { version: number; names: NamedLabel[] }>({
    maxSize: maxNames,
    sizeCalculation: ({ names }) => 1 + names.length,
  });

  async function namesOf(workspaceId: string, version: number): Promise<NamedLabel[]> {
    const kept = known.get(workspaceId);
    // A standby that took over may count from an earlier one.
    if (kept?.version === version) return kept.names;
    const names = await readNames(db, workspaceId);
    known.set(workspaceId, { version, names });
    return names;
  }

  return {
    readTexts: (workspaceId, numbers) => readTexts(db, workspaceId, numbers),

    async findLabels(workspaceId, terms, version) {
      if (terms.length === 0) return [];
      const folded = terms.map(normaliseName);
      return toLabelMatches(findHolding(await namesOf(workspaceId, version), folded), folded);
    },
  };
}

async function readNames(db: Catalog, workspaceId: string): Promise<NamedLabel[]> {
  const { rows } = await sql<NamedLabel>`${sql.join(
    labelTables.map(
      ([name, table]) => sql`
        select ${sql.lit(name)} as name, id, folded_name as "foldedName" from ${sql.table(table)} where workspace_id = ${workspaceId}`,
    ),
    sql` union all `,
  )}`.execute(db);
  return rows;
}

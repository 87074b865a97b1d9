import type { SearchReader } from '@media-search/search-engine/ranking/search-tasks';
import { type LabelMatch, standsIn } from '@media-search/search-engine/text/label-names';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { openCatalogAt } from '../catalog-location.ts';
import { labelTables } from '../labels/label-names.ts';
import { normaliseName } from '../labels/normalise-name.ts';
import type { Catalog } from '../schema.ts';
import { readTexts } from './open-postings.ts';

type LabelName = Pick<LabelMatch, 'name' | 'id'> & { foldedName: string };

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
  const known = new LRUCache<string, { version: number; names: LabelName[] }>({
    maxSize: maxNames,
    sizeCalculation: ({ names }) => 1 + names.length,
  });

  async function namesOf(workspaceId: string, version: number): Promise<LabelName[]> {
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
      const names = await namesOf(workspaceId, version);
      return names.flatMap(({ name, id, foldedName }) =>
        folded.flatMap((part, term) =>
          foldedName.includes(part) && standsIn(foldedName, part) ? [{ name, id, term }] : [],
        ),
      );
    },
  };
}

async function readNames(db: Catalog, workspaceId: string): Promise<LabelName[]> {
  const { rows } = await sql<LabelName>`${sql.join(
    labelTables.map(
      ([name, table]) => sql`
        select ${sql.lit(name)} as name, id, folded_name as "foldedName" from ${sql.table(table)} where workspace_id = ${workspaceId}`,
    ),
    sql` union all `,
  )}`.execute(db);
  return rows;
}

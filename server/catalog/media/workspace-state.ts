import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';

/**
 * What a search has to know of a workspace: a ranking over an index in memory is right while none of it is newer than what the index holds. It is read in the
 * statement that reads the hits, so it costs no round trip.
 */
export type WorkspaceState = {
  /** The sequence of the last change of an item; 0 before the first. */
  change: number;
  /** See `Dialect.labelVersion`. */
  labels: number;
  /** The active embedder; null: the workspace has none of its own yet. */
  embedderId: string | null;
};

/** The columns of a row that holds the state, which `toState` reads. */
export type StateColumns = { state_change: number; state_labels: number; state_embedder: string | null };

/** Selects the state of a workspace, each part by a look into an index. */
export const stateColumns = (db: Catalog, workspaceId: string): RawBuilder<StateColumns> => sql`
  coalesce((select max(sequence) from item_changes where workspace_id = ${dialectOf(db).anyValue(workspaceId)}), 0) as state_change,
  ${dialectOf(db).labelVersion(workspaceId)} as state_labels,
  (select embedder_id from workspaces where id = ${workspaceId}) as state_embedder`;

export const toState = (row: StateColumns): WorkspaceState => ({
  change: row.state_change,
  labels: row.state_labels,
  embedderId: row.state_embedder,
});

/** The state of a workspace now. */
export async function readWorkspaceState(db: Catalog, workspaceId: string): Promise<WorkspaceState> {
  const { rows } = await sql<StateColumns>`select ${stateColumns(db, workspaceId)}`.execute(db);
  return toState(rows[0] as StateColumns);
}

import { sql } from 'kysely';
import type { MediaType } from '../../../contract/media.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { newJob } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { holdFor, sourcePriority } from './held-jobs.ts';

/** Has items of a source indexed, where that does not wait already. */
export async function requestIndexing(
  db: Catalog,
  { workspace_id }: { workspace_id: string },
  items: { id: string; type: MediaType }[],
): Promise<void> {
  if (items.length === 0) return;
  const { kind, payload, created_at } = newJob('index', {});
  const rows = items.map(({ id, type }) => ({ media_id: id, priority: sourcePriority(type) }));
  // An attempt that is under way reads the earlier content: it loses its lease.
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    with wanted (media_id, priority) as (${dialectOf(db).rowsIn({ media_id: 'text', priority: 'integer' }, rows)})
    select ${workspace_id}, media_id, ${kind}, priority + ${holdFor(workspace_id, sql.ref('wanted.media_id'))}, ${payload}, ${created_at}
    from wanted where true
    on conflict (workspace_id, media_id, kind) do update set lease_owner = null, lease_until = null, attempts = 0`.execute(
    db,
  );
}

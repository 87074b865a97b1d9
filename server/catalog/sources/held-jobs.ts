import { type RawBuilder, sql } from 'kysely';
import type { MediaType } from '../../../contract/media.ts';
import { jobKinds } from '../queue/job-kinds.ts';
import type { Catalog } from '../schema.ts';
import type { JobKind } from '../tables/jobs.ts';

/** Jobs of sources that are paused or offline wait in a lane that no worker looks into. */

/** Before this priority jobs are claimed; a job that waits has its own plus this. */
const heldFrom = 100;

type Source = { workspace_id: string; id: string };

const ofSource = ({ workspace_id, id }: Source) => sql`workspace_id = ${workspace_id} and media_id in (
  select id from media_items where workspace_id = ${workspace_id} and source_id = ${id})`;

/** Kinds of jobs that read the original. */
const reading: readonly JobKind[] = ['index', 'reembed', 'fingerprint', 'ocr', 'speech'];

/** Has the jobs of a source wait that read its files; those that are under way go on, and wait when they are put back. */
export async function holdJobs(db: Catalog, source: Source): Promise<void> {
  await sql`update jobs set priority = priority + ${sql.lit(heldFrom)}
    where priority < ${sql.lit(heldFrom)} and kind in (${sql.join(reading)}) and ${ofSource(source)}`.execute(db);
}

/**
 * What is added to the priority of a new job that reads the original: it waits where the source of its item is paused or offline.
 * @param mediaId both may be columns of a query around it
 */
export const holdFor = (workspaceId: string | RawBuilder<unknown>, mediaId: string | RawBuilder<unknown>) =>
  sql<number>`coalesce((
    select ${sql.lit(heldFrom)} from media_items item
    join sources source on source.workspace_id = item.workspace_id and source.id = item.source_id
    where item.workspace_id = ${workspaceId} and item.id = ${mediaId} and (source.paused = 1 or source.offline_since is not null)), 0)`;

/** Has them go on. */
export async function resumeJobs(db: Catalog, source: Source): Promise<void> {
  await sql`update jobs set priority = priority - ${sql.lit(heldFrom)}, available_at = null
    where priority >= ${sql.lit(heldFrom)} and ${ofSource(source)}`.execute(db);
}

/** Files of sources come behind what people upload: photographs before videos, so that most is found soon. */
export const sourcePriority = (type: MediaType): number =>
  type === 'image' ? jobKinds.index.priority + 1 : jobKinds.index.priority + 3;

import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';
import type { JobKind } from '../tables/jobs.ts';

/** Jobs of a kind, in all workspaces. */
export type JobCount = {
  kind: JobKind;
  waiting: number;
  running: number;
  /** When the oldest was added. */ oldest: string;
};

/** Counts the jobs by kind. A job that a worker holds is running, also when its lease has just expired. Reads all of them. */
export const countJobs = (db: Catalog): Promise<JobCount[]> =>
  db
    .selectFrom('jobs')
    .select([
      'kind',
      sql<number>`sum(case when lease_owner is null then 1 else 0 end)`.as('waiting'),
      sql<number>`sum(case when lease_owner is null then 0 else 1 end)`.as('running'),
      sql<string>`min(created_at)`.as('oldest'),
    ])
    .groupBy('kind')
    .execute();

import { type Kysely, sql } from 'kysely';

/**
 * Jobs that read the details and the subtitles of items of before once more are done no longer: what they had not reached stays as it is. It may
 * be run again.
 */
export const retiredJobs = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`delete from jobs where kind in ('details', 'subtitles')`.execute(db);
    await sql`drop index if exists media_items_without_details`.execute(db);
  },
};

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the URL of the dashboard calls parameters of the API. */
const renamed: Record<string, string> = {
  creator: 'creator_id',
  category: 'category_id',
  collection: 'collection_id',
  tag: 'tag_id',
  from: 'taken_after',
  to: 'taken_before',
  written: 'as_written',
  like: 'media_id',
  chunk: 'chunk_id',
};

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** The URL has the last day that counts, the API the first that does not. */
function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

function convert(page: string, parameters: Record<string, string>): Record<string, string> {
  const names: Record<string, string> = page === 'library' ? { ...renamed, name: 'q' } : renamed;
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => {
      // A day that does not exist, or that has none after it, limited nothing.
      if ((name === 'from' || name === 'to') && (!isDay(value) || value >= '9999')) return [];
      return [[names[name] ?? name, name === 'to' ? dayAfter(value) : value]];
    }),
  );
}

/** Saved searches hold parameters of the API in place of those of the dashboard's URL. A second run finds none of the old names. */
async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ workspace_id: string; id: string; page: string; query: string }>`
    select workspace_id, id, page, query from saved_searches`.execute(db);
  for (const { workspace_id, id, page, query } of rows) {
    const converted = JSON.stringify(convert(page, JSON.parse(query) as Record<string, string>));
    await sql`update saved_searches set query = ${converted} where workspace_id = ${workspace_id} and id = ${id}`.execute(
      db,
    );
  }
}

export const savedParameters: Migration = { up };

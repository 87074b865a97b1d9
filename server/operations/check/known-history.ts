import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import type { HistoryNote } from '../../assets/history-note.ts';
import { historySetting, isInHistory, readChangePosition } from '../../catalog/media/timelines.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { readSetting } from '../../catalog/service-settings.ts';

const noteSchema = z.object({ timeline: z.string(), change: z.int().min(0), since: z.iso.datetime() });

/** How far a catalog had come when the service looked last, and since when it has had no gap, RFC 3339. */
type Note = z.output<typeof noteSchema>;

async function readNote(historyNote: HistoryNote): Promise<Note | null> {
  const text = await historyNote.read();
  try {
    return text === null ? null : noteSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const lacksNoted = async (db: Catalog, note: Note | null): Promise<boolean> =>
  note !== null && !(await isInHistory(db, note));

/** Whether a catalog lacks what the service stored in it before: an older copy was put in its place, or its log was damaged. */
export const isOlderCopy = async (db: Catalog, historyNote: HistoryNote): Promise<boolean> =>
  lacksNoted(db, await readNote(historyNote));

export type KnownHistory = {
  /** Since when the catalog has had no gap, RFC 3339. Earlier changes may be missing. */
  since: string;
  /** Notes how far the catalog has come. */
  note(): Promise<void>;
};

/**
 * Finds out since when a catalog in a file has all that was stored in it, and says so where it is an older copy. Call it before the start begins a
 * timeline. One without a note, such as a restored one, is known from now on.
 */
export async function openKnownHistory(
  db: Catalog,
  historyNote: HistoryNote,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<KnownHistory> {
  const known = await readNote(historyNote);
  const isOlder = await lacksNoted(db, known);
  if (isOlder) {
    log.warn(
      { known },
      'the catalog is an older copy, or the end of its log is damaged: what was deleted since is listed again, what was uploaded since is in lost+found',
    );
  }
  const since = known === null || isOlder ? new Date().toISOString() : known.since;
  let noted = '';
  async function write(): Promise<void> {
    const text = JSON.stringify({ ...(await readChangePosition(db)), since } satisfies Note);
    if (text === noted) return;
    await historyNote.write(`${text}\n`);
    noted = text;
  }
  // One after the other: none may put an earlier place over a later one.
  let writing = Promise.resolve();
  return { since, note: () => (writing = writing.then(write, write)) };
}

/** The same of a database that several processes share: it says by itself when it became another. */
export const readKnownHistory = async (db: Catalog): Promise<KnownHistory> => ({
  since: (await readSetting(db, historySetting)) ?? '',
  note: () => Promise.resolve(),
});

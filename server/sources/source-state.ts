import type { EventData } from '../../contract/events.ts';
import type { Source } from '../../contract/sources.ts';
import { recordEvent } from '../catalog/events/events.ts';
import type { Catalog } from '../catalog/schema.ts';
import { holdJobs, resumeJobs } from '../catalog/sources/held-jobs.ts';
import { findSource, setSource, type SourceRow } from '../catalog/sources/sources.ts';
import { inWorkspace } from '../catalog/transactions.ts';
import { describeProblem } from './source-error.ts';

/** The state of a source as the API names it. */
export function stateOf(row: SourceRow): Source['state'] {
  if (row.removed_at !== null) return 'removing';
  if (row.offline_since !== null) return 'offline';
  if (row.paused === 1) return 'paused';
  if (row.scan !== null) return 'scanning';
  // One whose first scan failed says why.
  return row.last_scan === null && row.problem_code === null ? 'new' : 'ready';
}

/** A source as events have it. */
const toEventData = (row: SourceRow): EventData['source.scanned'] => ({
  source: {
    id: row.id,
    name: row.name,
    kind: row.kind,
    location: row.location,
    state: stateOf(row),
    problem: row.problem_code === null ? null : { code: row.problem_code, message: row.problem_message ?? '' },
    last_scan: row.last_scan === null ? null : (JSON.parse(row.last_scan) as Source['last_scan']),
  },
});

/** Notes that a source is away: its items stay, their jobs wait, and an event tells of it once. */
export function goOffline(db: Catalog, { workspace_id, id }: SourceRow, error: unknown): Promise<void> {
  const { code, message } = describeProblem(error);
  return inWorkspace(db, workspace_id, async (transaction) => {
    const row = await findSource(transaction, workspace_id, id);
    if (!row) return;
    await setSource(transaction, row, {
      problem_code: code,
      problem_message: message,
      scan: null,
      watching: 0,
      offline_since: row.offline_since ?? new Date().toISOString(),
    });
    // Also those that were put back since.
    await holdJobs(transaction, row);
    if (row.offline_since === null) await tell(transaction, row, 'source.offline');
  });
}

/** The code of the problem of a source whose scan failed, though the source is there. */
export const scanFailed = 'scan_failed';

/** Notes that a scan failed by no fault of its source: it stays as it is, and says so until a scan succeeds. */
export const failScan = (db: Catalog, row: SourceRow): Promise<void> =>
  setSource(db, row, {
    problem_code: scanFailed,
    problem_message: 'The last scan broke off with an error of the service, which its log tells. It is tried again.',
    scan: null,
  });

/** Notes that a source was scanned, and is back where it was away. @param isNews whether the scan is worth an event */
export function goOnline(db: Catalog, { workspace_id, id }: SourceRow, isNews: boolean): Promise<void> {
  return inWorkspace(db, workspace_id, async (transaction) => {
    const row = await findSource(transaction, workspace_id, id);
    if (!row) return;
    await setSource(transaction, row, { problem_code: null, problem_message: null, offline_since: null });
    if (row.offline_since !== null) {
      if (row.paused === 0) await resumeJobs(transaction, row);
      await tell(transaction, row, 'source.online');
    }
    if (isNews) await tell(transaction, row, 'source.scanned');
  });
}

async function tell(
  transaction: Catalog,
  { workspace_id, id }: SourceRow,
  type: 'source.scanned' | 'source.offline' | 'source.online',
): Promise<void> {
  const row = await findSource(transaction, workspace_id, id);
  if (row) await recordEvent(transaction, workspace_id, type, toEventData(row));
}

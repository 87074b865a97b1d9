import type { SourceRow } from '../catalog/sources/sources.ts';
import { listAllSources } from '../catalog/sources/sources.ts';
import { runEvery } from '../platform/periodic.ts';
import { createSourceKeeper, type KeeperParts, readerSettings, type SourceKeeper } from './source-keeper.ts';

/** How often it is looked for what is due, milliseconds. */
const lookMs = 1000;
/** What is done at a time: a removal takes minutes, and a source that is away may hang. Neither keeps others from being scanned. */
const atOnce = { scan: 2, retry: 1, removal: 1 };

type Kind = keyof typeof atOnce;

const kindOf = ({ removed_at, offline_since }: SourceRow): Kind =>
  removed_at !== null ? 'removal' : offline_since === null ? 'scan' : 'retry';

/** Keeps all sources: scans them when they are added, at a start, when something changed, and now and then. To be done by one process. */
export function startSources(parts: Omit<KeeperParts, 'signal'>): { stop(): Promise<void> } {
  const { db, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepers = new Map<string, SourceKeeper>();
  const working = new Map<string, { kind: Kind; done: Promise<void> }>();

  /** The one that keeps a source; another where the source takes other files now. */
  function keeperOf(row: SourceRow): SourceKeeper {
    const known = keepers.get(row.id);
    if (known?.settings === readerSettings(row)) return known;
    known?.stop();
    const keeper = createSourceKeeper({ ...parts, signal }, row);
    keepers.set(row.id, keeper);
    return keeper;
  }

  async function look(): Promise<void> {
    const all = await listAllSources(db);
    // What is paused is not read, and needs nobody to read it.
    const rows = all.filter((row) => row.paused === 0 || row.removed_at !== null);
    const ids = new Set(rows.map(({ id }) => id));
    for (const [id, keeper] of keepers) {
      if (ids.has(id) || working.has(id)) continue;
      keeper.stop();
      keepers.delete(id);
    }
    if (signal.aborted) return;
    const due = rows
      .filter(({ id }) => !working.has(id))
      .map((row) => ({ row, at: keeperOf(row).dueAt(row) }))
      .filter(({ at }) => at <= performance.now())
      .toSorted((a, b) => a.at - b.at);
    for (const { row } of due) {
      const kind = kindOf(row);
      const busy = Array.from(working.values()).filter((work) => work.kind === kind).length;
      if (busy < atOnce[kind]) begin(row, kind);
    }
  }

  function begin(row: SourceRow, kind: Kind): void {
    const done = keeperOf(row)
      .work(row)
      .catch((error: unknown) => log.error({ err: error }, 'a scan of a source failed'))
      .finally(() => working.delete(row.id));
    working.set(row.id, { kind, done });
  }

  const looking = runEvery(lookMs, look, 'looking after sources', log);
  return {
    async stop() {
      stopping.abort();
      await looking.stop();
      for (const keeper of keepers.values()) keeper.stop();
      await Promise.all(Array.from(working.values(), ({ done }) => done));
    },
  };
}

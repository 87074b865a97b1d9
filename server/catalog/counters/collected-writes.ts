import type { FastifyBaseLogger } from 'fastify';
import { createFlushing } from './late-writes.ts';

/** What requests leave behind of a workspace, by some name, such as the identifier of a key. */
type Collected<Value> = { workspaceId: string; name: string; value: Value };

/**
 * Collects what is stored a moment later. What could not be stored is kept and tried again; where a connection is lost in the middle of a
 * commit it may be stored twice.
 * @param options.merge of two values with the same name
 * @param options.store stores all or, throwing, nothing; in the order of workspaces and names
 * @param options.what what is stored, for the log
 */
export function collectWrites<Value>({
  merge,
  store,
  what,
  log,
}: {
  merge: (earlier: Value, later: Value) => Value;
  store: (collected: Collected<Value>[]) => Promise<void>;
  what: string;
  log: Pick<FastifyBaseLogger, 'error'>;
}) {
  let pending = new Map<string, Collected<Value>>();
  let running: Promise<void> = Promise.resolve();
  const keyOf = ({ workspaceId, name }: Pick<Collected<Value>, 'workspaceId' | 'name'>) => `${workspaceId} ${name}`;

  function keep(added: Collected<Value>): void {
    const earlier = pending.get(keyOf(added));
    pending.set(keyOf(added), earlier ? { ...added, value: merge(earlier.value, added.value) } : added);
  }

  async function storePending(): Promise<void> {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await store([...batch.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, collected]) => collected));
    } catch (error) {
      const later = pending;
      pending = batch;
      for (const each of later.values()) keep(each);
      throw error;
    }
  }

  /** Stores what was collected until now. */
  function flush(): Promise<void> {
    running = running.catch(() => undefined).then(storePending);
    return running;
  }
  const flushing = createFlushing(flush, what, log);

  return {
    add(added: Collected<Value>): void {
      keep(added);
      flushing.schedule();
    },
    /** What is collected under a name and not stored yet. */
    find: (workspaceId: string, name: string): Value | undefined => pending.get(keyOf({ workspaceId, name }))?.value,
    flush,
    stop: () => flushing.stop(),
  };
}

import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type PeriodicWorker, runEvery } from '../periodic.ts';

/** When a process that is at work counts as hanging, seconds without an advance. */
type Patience = {
  /** Processor time of the process: on a machine that is busy, or was suspended, it gets little of that. */
  processorSeconds: number;
  /** Time on the clock, for a process that waits for what never comes. */
  clockSeconds: number;
  /** Time between two looks. */
  lookSeconds: number;
};

const usualPatience: Patience = { processorSeconds: 300, clockSeconds: 3600, lookSeconds: 10 };

/** Ticks of a second in which Linux counts processor time (`man 5 proc`). */
const ticksPerSecond = 100;

/**
 * How much processor time a process has used.
 * @returns seconds; null where the system does not say (it is Linux that does), or the process is gone
 */
export async function readProcessorSeconds(pid: number): Promise<number | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  // The name in brackets may hold anything. After it come the third field and the others; the 14th and 15th are the times.
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = fields && Number(fields[11]) + Number(fields[12]);
  return ticks === undefined || Number.isNaN(ticks) ? null : ticks / ticksPerSecond;
}

/**
 * Watches whether a process that is at work advances. Where the system does not say how much processor time it used, that on the clock counts.
 * @returns `advance`: it is at work and has advanced; `rest`: it has nothing to do
 */
export function watchForHang(
  { pid }: Pick<ChildProcess, 'pid'>,
  onHang: () => void,
  { processorSeconds, clockSeconds, lookSeconds }: Patience = usualPatience,
): { advance: () => void; rest: () => void } {
  let watching: PeriodicWorker | undefined;
  /** Since the last advance: on the clock, and the processor time at the first look after it. */
  let since = { clock: 0, used: null as number | null };
  async function look(): Promise<void> {
    const begun = since;
    const used = pid === undefined ? null : await readProcessorSeconds(pid);
    if (!watching || begun !== since) return;
    since.used ??= used;
    const clock = performance.now() / 1000 - since.clock;
    const spent = used === null || since.used === null ? clock : used - since.used;
    if (spent < processorSeconds && clock < clockSeconds) return;
    rest();
    onHang();
  }
  function rest(): void {
    void watching?.stop();
    watching = undefined;
  }
  return {
    advance() {
      since = { clock: performance.now() / 1000, used: null };
      watching ??= runEvery(lookSeconds * 1000, look, 'the watch of a process', null, { atOnce: false });
    },
    rest,
  };
}

/** How often a process says that it advances, at most, milliseconds: it may do so a million times. */
const advanceIntervalMs = 20;

/** What a process calls whenever it advances, to say so now and then. @param send says it */
export function createAdvanceReport(send: () => void): () => void {
  let sent = -Infinity;
  return () => {
    if (performance.now() - sent < advanceIntervalMs) return;
    sent = performance.now();
    send();
  };
}

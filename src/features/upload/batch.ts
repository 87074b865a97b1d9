import { formatCount } from '../../lib/format.ts';
import type { Work } from './time-left.ts';
import { isActive, isOpen, type Upload } from './upload.ts';

/** What the heading of all uploads says. */
export type BatchSummary = {
  /** All but what was cancelled. */
  total: number;
  ready: number;
  failed: number;
  /** Failed ones that can succeed when they are tried again. */
  retryable: number;
  /** Those that the service does not have yet. */
  open: number;
  active: number;
};

export function summarise(uploads: readonly Upload[]): BatchSummary {
  const summary = { total: 0, ready: 0, failed: 0, retryable: 0, open: 0, active: 0 };
  for (const upload of uploads) {
    if (upload.state !== 'cancelled') summary.total += 1;
    if (upload.state === 'ready') summary.ready += 1;
    if (upload.state === 'failed') summary.failed += 1;
    if (upload.failure?.retry === 'now') summary.retryable += 1;
    if (isActive(upload)) summary.active += 1;
    if (isOpen(upload)) summary.open += 1;
  }
  return summary;
}

/** What a file costs to index besides its bytes, in bytes. */
const perFile = 1_000_000;

/** How much of the uploads that count is done in this visit. `keptBefore`: what earlier ones sent, bytes, which is no part of `sent`. */
export function measureWork(uploads: readonly Upload[]): Work & { keptBefore: number } {
  const work = { sent: 0, toSend: 0, indexed: 0, toIndex: 0, keptBefore: 0 };
  for (const { state, file, sent, keptBefore, progress, duplicate } of uploads) {
    if (state === 'cancelled' || state === 'failed') continue;
    const done = state === 'ready' ? 1 : state === 'indexing' ? (progress?.fraction ?? 0) : 0;
    work.toIndex += perFile + file.size;
    work.indexed += done * (perFile + file.size);
    // What the service had need not be sent.
    if (duplicate) continue;
    work.keptBefore += keptBefore;
    work.toSend += file.size - keptBefore;
    work.sent += (state === 'ready' || state === 'indexing' ? file.size : sent) - keptBefore;
  }
  return work;
}

/** 0..1, as the bar shows it: sending is one half, indexing the other. */
export function fractionDone(uploads: readonly Upload[]): number {
  const { sent, toSend, indexed, toIndex, keptBefore } = measureWork(uploads);
  if (toIndex === 0) return 1;
  const all = toSend + keptBefore;
  return ((all === 0 ? 1 : (sent + keptBefore) / all) + indexed / toIndex) / 2;
}

/** What happens now comes first, then what needs a person, then what waits, then what has ended. */
function rankOf({ state, progress }: Upload): number {
  if (state === 'sending' || state === 'hashing' || state === 'interrupted') return 0;
  if (state === 'indexing' && progress !== null && progress.stage !== 'queued') return 0;
  if (state === 'failed') return 1;
  if (state === 'indexing') return 2;
  if (state === 'queued' || state === 'paused') return 3;
  return state === 'ready' ? 4 : 5;
}

/** The uploads that are listed, at most so many, and how many more there are. */
export function chooseShown(uploads: readonly Upload[], max: number): { shown: Upload[]; more: number } {
  const ordered = uploads.toSorted((a, b) => rankOf(a) - rankOf(b) || a.key - b.key);
  return { shown: ordered.slice(0, max), more: Math.max(0, ordered.length - max) };
}

/** What has become of uploads that have ended; null when none is ready. */
export function describeEnd(ended: readonly Upload[]): string | null {
  const ready = ended.filter(({ state }) => state === 'ready');
  const failed = ended.filter(({ state }) => state === 'failed').length;
  if (ready.length === 0) return null;
  const known = ready.every(({ duplicate }) => duplicate);
  const subject = `${formatCount(ready.length)} ${ready.length === 1 ? 'item is' : 'items are'}`;
  return `${subject} ${known ? 'already in your library' : 'ready'}${failed > 0 ? `, ${formatCount(failed)} failed` : ''}`;
}

import { rm } from 'node:fs/promises';
import { type BuiltIndex, createBuiltIndex, type IndexKey } from './built-index.ts';
import { catchUp } from './follow-source.ts';
import {
  countUnsaved,
  findImprovement,
  findUnlinked,
  type Improvement,
  linkForAWhile,
  mergeTexts,
} from './improve-index.ts';
import { loadIndex, saveIndex } from './index-file.ts';
import type { IndexSharing } from './index-sharing.ts';
import type { IndexSource } from './index-source.ts';
import { isWorthThreads, type Linked, linkInParallel } from './link-in-parallel.ts';

/** Smaller indexes are built from their source as quickly as they are loaded from a file. */
const minSavedSlots = 2000;

type Parts = {
  source: IndexSource;
  key: IndexKey;
  /** Where the index is saved on this machine. */
  file: string;
  sharing: IndexSharing;
  /** Called with each state that searches see from then on. */
  publish: (index: BuiltIndex) => void;
  /** Called with failures in the background; the index stays as it is. */
  report: (error: unknown) => void;
};

export type IndexKeeper = ReturnType<typeof keepIndex>;

/** What a keeper works with. */
type KeptIndex = Parts & {
  index?: BuiltIndex;
  /** The identity of the source when the index was opened. */
  identity?: string;
  /** Aborted when the work in the background ends. */
  stopping: AbortSignal;
  /** Threads that link what was read while the rest is being read. */
  linking?: Promise<boolean> | undefined;
  /** Runs what reads changes of the source or needs an index between two changes, one after the other. */
  alone: ReturnType<typeof createSequence>;
};

/**
 * Keeps the index of a workspace under one embedder: loads or builds it, follows its source, and improves it in the background, in slices of
 * a few milliseconds.
 */
export function keepIndex(parts: Parts) {
  const { source, key, file, sharing, publish } = parts;
  const stop = new AbortController();
  const kept: KeptIndex = { ...parts, stopping: stop.signal, alone: createSequence() };
  let improving: Promise<void> | undefined;
  return {
    key,

    /**
     * Brings the index up to date with all that is stored now. Throws when the keeper was stopped.
     * @returns false while another process builds it, and has not saved it yet
     */
    refresh: (): Promise<boolean> =>
      kept.alone(async () => {
        const [identity, last] = await Promise.all([source.readIdentity(), source.readLastChange(key.workspaceId)]);
        const { index: present } = kept;
        // One that holds changes which the source does not have followed another history, whatever the source is called.
        const isFollowing = present !== undefined && kept.identity === identity && present.change <= last;
        const index = isFollowing ? present : await open(kept);
        if (!index) return false;
        Object.assign(kept, { index, identity });
        let isGrowing = true;
        try {
          await catchUp(source, index, stop.signal, () => linkMeanwhile(kept, index, () => isGrowing));
        } finally {
          isGrowing = false;
        }
        publish(index);
        improving ??= improve(kept).finally(() => {
          improving = undefined;
        });
        return true;
      }),

    /** Ends work in the background, and saves what changed. */
    async stop(): Promise<void> {
      stop.abort();
      // A save in progress is not cut off.
      await improving;
      await kept.linking;
      const { index } = kept;
      try {
        if (index && countUnsaved(index) > 0 && index.slotCount >= minSavedSlots) await save(kept, index);
      } finally {
        await sharing.release(key);
      }
    },

    /** Removes its file: another embedder is active now. */
    async discard(): Promise<void> {
      stop.abort();
      await improving;
      await kept.linking;
      await rm(file, { force: true });
      if (await sharing.hold(key)) await sharing.discard(key);
    },
  };
}

/** Has threads link what was read until now, where it is much and none do, while the rest is being read. */
function linkMeanwhile(kept: KeptIndex, index: Linked, isGrowing: () => boolean): void {
  if (kept.linking || !isWorthThreads(index)) return;
  kept.linking = linkInParallel(index, kept.stopping, { isGrowing })
    .then(
      () => true,
      (error: unknown) => {
        kept.report(error);
        return false;
      },
    )
    .finally(() => {
      kept.linking = undefined;
    });
}

const improvements: Record<Improvement, (kept: KeptIndex, index: BuiltIndex) => Promise<void>> = {
  async link(kept, index) {
    const unlinked = findUnlinked(index);
    if (!unlinked) return;
    linkMeanwhile(kept, unlinked, () => false);
    // Threads that began while the index was still read go on until all slots are linked.
    if (!kept.linking) await linkForAWhile(unlinked, kept.stopping);
    else if (!(await kept.linking)) throw new Error('Slots could not be linked by several threads.');
  },
  async merge(kept, index) {
    await mergeTexts(index);
    // Not while slots are added: searches would see them without their texts.
    await kept.alone(async () => {
      if (kept.index === index) kept.publish(index);
    });
  },
  save,
  rebuild,
};

/** Works in the background until nothing is left to do, or something fails: then it goes on after the next change. */
async function improve(kept: KeptIndex): Promise<void> {
  try {
    while (!kept.stopping.aborted && kept.index) {
      const improvement = findImprovement(kept.index);
      if (!improvement) return;
      await improvements[improvement](kept, kept.index);
    }
  } catch (error) {
    if (!kept.stopping.aborted) kept.report(error);
  }
}

async function save(kept: KeptIndex, index: BuiltIndex): Promise<void> {
  const { source, key, file, sharing, alone } = kept;
  if (!(await sharing.hold(key))) {
    // Its owner saves the same. When that has ended, the next time is this one's turn.
    noteSaved(index);
    return;
  }
  const { done, unsaved = 0 } = await alone(async () => {
    const position = { timeline: await source.readTimeline(), change: index.change };
    // The service was stopped while it added slots, or the index was dropped.
    if (index.pendingTexts.length > 0 || kept.index !== index) return {};
    const unsaved = countUnsaved(index);
    noteSaved(index);
    // What it saves is what the index holds now, between two changes.
    return { done: saveIndex(file, index, position), unsaved };
  });
  try {
    await done;
    if (done) await sharing.publish(key, file);
  } catch (error) {
    // It is tried again with the next change, and at the stop.
    index.unsaved += unsaved;
    throw error;
  }
}

function noteSaved(index: BuiltIndex): void {
  index.unsaved = 0;
  if (index.passages) index.passages.unsaved = 0;
}

/** Builds the index again beside the present one, without deleted slots. */
async function rebuild(kept: KeptIndex, index: BuiltIndex): Promise<void> {
  const { source, key, stopping, alone } = kept;
  const next = createBuiltIndex(key);
  await catchUp(source, next, stopping);
  for (let unlinked = findUnlinked(next); unlinked && !stopping.aborted; unlinked = findUnlinked(next)) {
    await linkForAWhile(unlinked, stopping);
  }
  await alone(async () => {
    if (kept.index !== index) return;
    await catchUp(source, next, stopping);
    kept.index = next;
    kept.publish(next);
  });
}

/** The saved index, or an empty one to which all is added; null while another process does that with a large one. */
async function open(kept: KeptIndex): Promise<BuiltIndex | null> {
  const { source, key, file, sharing, report } = kept;
  // Without it the index is built.
  await sharing.fetch(key, file).catch(report);
  const saved = await load(kept);
  if (saved) return saved;
  const isSmall = (await source.countChunks(key.workspaceId)) < minSavedSlots;
  return isSmall || (await sharing.hold(key)) ? createBuiltIndex(key) : null;
}

/** The saved index; null where there is none that belongs to this source, or it cannot be read. */
async function load({ source, key, file, report }: KeptIndex): Promise<BuiltIndex | null> {
  const saved = await loadIndex(file, key).catch((error: unknown) => {
    report(error);
    return null;
  });
  // One that was saved before an older copy of the source was restored holds other chunks.
  if (!saved || !(await source.isInHistory(saved.position))) return null;
  if (saved.position.change > (await source.readLastChange(key.workspaceId))) return null;
  saved.index.change = saved.position.change;
  return saved.index;
}

/** Runs what it is given one after the other. */
function createSequence() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

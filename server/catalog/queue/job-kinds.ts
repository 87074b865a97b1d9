import type { MediaType } from '../../../contract/media.ts';
import { markChangeFailed } from '../changes/change-rows.ts';
import { markExportFailed, noteExportAttempt } from '../exports/export-rows.ts';
import { attemptsExhaustedError, failItem, markItemIndexing, markItemPending } from '../media/item-status.ts';
import { giveUpFingerprint } from '../reuse/write-fingerprint.ts';
import type { Catalog } from '../schema.ts';
import type { JobKind, RequestJobKind } from '../tables/jobs.ts';
import { failPassages } from '../texts/passage-states.ts';
import { failExtraction } from '../texts/text-extractions.ts';

type Owner = { workspace_id: string; id: string };
type Effect = (db: Catalog, subject: Owner) => Promise<void>;

/** What the queue knows of a kind of job. */
type KindOfJob = {
  /** Jobs with a smaller number are claimed first. */
  priority: number;
  /** It is given up after this many interrupted attempts. */
  maxAttempts: number;
  /** What it does to the item or the export that it is about, in the transaction of the queue. */
  claimed: Effect;
  requeued: Effect;
  exhausted: Effect;
};

/** Items are given up after this many interrupted attempts. */
export const maxAttempts = 3;

/** Why recognition in an item was given up. */
export const brokeOff = `Reading broke off ${maxAttempts} times at the same place. What was read before is kept.`;

const nothing = () => Promise.resolve();
const noEffects = { maxAttempts, claimed: nothing, requeued: nothing, exhausted: nothing };

/**
 * New items come before re-embedding items that searches already find, and what is written in photographs, which takes a moment, before what is
 * written or said in videos, which takes up to hours. Both of a video follow each other: the speech of one does not wait until what is written in
 * all others is read. The numbers from 10 on are lanes of their own: the processes that answer requests do these jobs.
 */
export const jobKinds = {
  index: {
    priority: 0,
    maxAttempts,
    claimed: markItemIndexing,
    requeued: markItemPending,
    exhausted: (db, item) => failItem(db, item, attemptsExhaustedError(maxAttempts)),
  },
  // The item is complete and stays so.
  reembed: { ...noEffects, priority: 1 },
  // A moment each: texts are found by what they mean before more are read.
  passages: { ...noEffects, priority: 2, exhausted: failPassages },
  ocr: { ...noEffects, priority: 4, exhausted: (db, item) => failExtraction(db, item, 'ocr', brokeOff) },
  speech: { ...noEffects, priority: 4, exhausted: (db, item) => failExtraction(db, item, 'speech', brokeOff) },
  fingerprint: { ...noEffects, priority: 4, exhausted: giveUpFingerprint },
  // The file may be what ends the process that makes it, so it is tried again once.
  export: { ...noEffects, priority: 10, maxAttempts: 2, claimed: noteExportAttempt, exhausted: markExportFailed },
  match: { ...noEffects, priority: 11 },
  change: { ...noEffects, priority: 12, exhausted: markChangeFailed },
  copies: { ...noEffects, priority: 13 },
} satisfies Record<JobKind, KindOfJob>;

const photographPriority = 3;
/** What hung once may hold a worker for minutes again: all other work on items comes first. */
export const hungPriority = 5;

/** The priority of a job, by the type of its item. */
export const priorityOf = (kind: JobKind, type: MediaType): number =>
  (kind === 'ocr' || kind === 'speech') && type === 'image' ? photographPriority : jobKinds[kind].priority;

/** Jobs that the same workers do, from the first of these priorities to the last. */
export type Lane = readonly [first: number, last: number];

/** The lane of the workers that index. */
export const itemLane: Lane = [0, 9];

/** The lane of a kind that has one of its own. */
export const laneOf = (kind: RequestJobKind): Lane => [jobKinds[kind].priority, jobKinds[kind].priority];

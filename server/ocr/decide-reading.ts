import { comparePictures, countNewBlocks } from './edge-picture.ts';
import type { TimedEdges } from './text-tracks.ts';

/** Shortest time between two readings, seconds. */
const minGap = 1;
/** After readings that were caused by what stood out, but found nothing changed, the time grows up to this, seconds. */
const maxGap = 8;
/** One more second between two readings for each so many lines: a page of small print would take longer to read than to show. */
const linesPerSecond = 10;
/** A picture that differs is read again after this, seconds, whatever stands out in it. */
const regularGap = 8;
/** Two pictures that are less alike are of two shots; two that are more alike are the same. */
const cutLikeness = 0.6;
const sameLikeness = 0.97;
/** Blocks of eight pixels that a line of a few words fills. */
const minNewBlocks = 4;
/** Text that scrolls has brought new lines when it has moved this far, as a fraction of the picture. */
const maxTravel = 0.25;
/** At the end of the video this is enough. */
const minTravel = 0.02;

/** Decides which frames of a video are read: reading one takes a hundred times as long as looking at its edges. */
export function createReadingPlan() {
  let lastRead: TimedEdges | undefined;
  let gap = minGap;
  let wasCut = false;
  /** Whether the frame that is due was chosen for what stands out in it. */
  let isGuess = false;
  return {
    /**
     * @param before the frame before, undefined at the first
     * @param isLast whether no frame follows
     * @param tracks what became of the lines that were seen
     */
    isDue(
      before: TimedEdges | undefined,
      now: TimedEdges,
      isLast: boolean,
      { missed, travelled }: { missed: number; travelled: number },
    ): boolean {
      if (!lastRead || !before) return true;
      if (comparePictures(before.edges, now.edges) < cutLikeness) {
        wasCut = true;
        gap = Math.min(gap, 2 * minGap);
      }
      const passed = now.time - lastRead.time;
      if (passed < gap && !isLast) return false;
      isGuess = missed > 0 || countNewBlocks(now.edges, before.edges, lastRead.edges) >= minNewBlocks;
      if (isGuess || wasCut || travelled >= (isLast ? minTravel : maxTravel)) return true;
      return passed >= regularGap && comparePictures(lastRead.edges, now.edges) < sameLikeness;
    },

    /**
     * Notes that a frame was read.
     * @param lines that it shows
     * @param changes lines that are new or have ended
     */
    note(now: TimedEdges, lines: number, changes: number): void {
      const least = minGap + lines / linesPerSecond;
      if (changes > 0) gap = least;
      else if (isGuess) gap = Math.min(maxGap, 2 * gap);
      gap = Math.max(gap, least);
      lastRead = now;
      wasCut = false;
      isGuess = false;
    },
  };
}

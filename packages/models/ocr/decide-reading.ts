import type { CameraMotion } from './camera-motion.ts';
import { comparePictures, countNewBlocks } from './edge-picture.ts';
import type { TimedEdges } from './text-tracks.ts';

/** Shortest time between two looks, seconds. */
const minGap = 1;
/** After looks that were caused by what stood out, but found nothing changed, the time grows up to this, seconds. */
const maxGap = 8;
/** One more second between two readings for each so many lines: a page of small print would take longer to read than to show. */
const linesPerSecond = 10;
/** A picture that differs is read again after this, seconds, whatever stands out in it. */
const regularGap = 8;
/** While no text is on the screen, shots are read at most so often, seconds; what comes sooner is glanced at. */
const shotGap = 4;
/** Two pictures that are less alike, wherever the camera went, are of two shots, or of one that moves wildly. */
const cutLikeness = 0.6;
/** Less alike than this, and no wild movement before: another shot for sure. */
const clearCutLikeness = 0.4;
/** Two pictures that are more alike are the same. */
const sameLikeness = 0.97;
/** Blocks of eight pixels that a line of a few words fills. */
const minNewBlocks = 4;
/** Text that scrolls, or a camera that turns, has brought new lines when it has moved this far, as a fraction of the picture. */
const maxTravel = 0.25;
/** At the end of the video this is enough. */
const minTravel = 0.02;

/**
 * What is done with a frame: it is not looked at, only a small copy is, to see whether there is any text, or it is read. Something that stands
 * still has appeared in a frame of `guess`: it is looked at more closely than by a glance.
 */
type Look = 'none' | 'glance' | 'guess' | 'read';

/** What is known of a frame before it is looked at. */
type Sight = {
  /** The frame before; undefined at the first. */
  before: TimedEdges | undefined;
  now: TimedEdges;
  /** Between them. */
  motion: CameraMotion;
  /** Whether no frame follows. */
  isLast: boolean;
  /** Lines on the screen, and what became of them: how many are missed, and how far the farthest moved since the last reading, 0..1. */
  shown: number;
  missed: number;
  travelled: number;
};

/**
 * Decides which frames of a video are looked at: reading one takes a hundred times as long as comparing its edges, and a glance a sixth of
 * that. While no text is on the screen frames are glanced at first, unless something has appeared. A glance sees letters from 34 pixels of 1080 on and half of
 * those from 20; smaller ones that move with the camera wait for the reading of their shot or the regular one.
 */
export function createReadingPlan() {
  let lastRead: TimedEdges | undefined;
  let lastLook: TimedEdges | undefined;
  let gap = minGap;
  let wasCut = false;
  let isNewShot = false;
  let wasWild = false;
  /** Whether the frame that is due was chosen for what stands out in it. */
  let isGuess = false;

  function noteMotion({ likeness }: CameraMotion): void {
    const isCut = likeness < cutLikeness;
    if (likeness < clearCutLikeness && !wasWild) isNewShot = true;
    if (isCut) {
      wasCut = true;
      gap = Math.min(gap, 2 * minGap);
    }
    wasWild = isCut;
  }

  return {
    choose({ before, now, motion, isLast, shown, missed, travelled }: Sight): Look {
      if (!lastRead || !lastLook || !before) return 'read';
      noteMotion(motion);
      if (now.time - lastLook.time < gap && !isLast) return 'none';
      const appeared = (since: TimedEdges) =>
        countNewBlocks(now.edges, before.edges, since.edges, motion.shift) >= minNewBlocks;
      isGuess = missed > 0 || appeared(lastLook);
      const passed = now.time - lastRead.time;
      const isRegular = passed >= regularGap && comparePictures(lastRead.edges, now.edges) < sameLikeness;
      if (shown > 0 || isRegular || (isNewShot && passed >= shotGap) || (passed >= regularGap && appeared(lastRead))) {
        const isDue = isGuess || wasCut || isNewShot || isRegular || travelled >= (isLast ? minTravel : maxTravel);
        return isDue ? 'read' : 'none';
      }
      if (isGuess) return 'guess';
      return wasCut || distance(lastLook, now) >= maxTravel ? 'glance' : 'none';
    },

    /** Notes that a glance saw no text. */
    noteGlance(now: TimedEdges): void {
      lastLook = now;
      wasCut = false;
    },

    /**
     * Notes that a frame was read.
     * @param lines that it shows
     * @param changes lines that are new or have ended
     */
    noteReading(now: TimedEdges, lines: number, changes: number): void {
      const least = minGap + lines / linesPerSecond;
      if (changes > 0) gap = least;
      else if (isGuess) gap = Math.min(maxGap, 2 * gap);
      gap = Math.max(gap, least);
      lastRead = now;
      lastLook = now;
      wasCut = false;
      isNewShot = false;
      isGuess = false;
    },
  };
}

/** How far the camera has moved the picture, as a fraction of it. */
function distance(from: TimedEdges, to: TimedEdges): number {
  const { width, height } = to.edges;
  return Math.hypot((to.camera.x - from.camera.x) / width, (to.camera.y - from.camera.y) / height);
}

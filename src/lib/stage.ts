import { createContext, useContext } from 'react';

/** What surrounds a picture or a player that fills the window: the ways from it, and the bars over it. */
export type Stage = {
  /** Null at the ends of the list, and without one. */
  onPrevious: (() => void) | null;
  onNext: (() => void) | null;
  onClose: () => void;
  /** Small pictures of what lies beside it, which a swipe draws in; null where there is none. */
  beside: { previous: string | null; next: string | null };
  /** Whether the arrow keys go through a list; otherwise they go through a video. */
  arrowsPage: boolean;
  /** Whether the bars are hidden. */
  isBare: boolean;
  /** A touch on the picture, which hides the bars or shows them. */
  onTap: () => void;
  /** Told whether a video plays: then the bars hide while the pointer rests. */
  onPlaying: (playing: boolean) => void;
  /** The name by which the picture comes from its place in a list and returns to it. */
  transitionName: string | undefined;
  /** Set while a slideshow runs: told that a video has come to its end. */
  onFinished: (() => void) | null;
};

const alone: Stage = {
  onPrevious: null,
  onNext: null,
  onClose: () => undefined,
  beside: { previous: null, next: null },
  arrowsPage: false,
  isBare: false,
  onTap: () => undefined,
  onPlaying: () => undefined,
  transitionName: undefined,
  onFinished: null,
};

export const StageContext = createContext<Stage>(alone);

/** The surroundings of what fills the window. */
export const useStage = (): Stage => useContext(StageContext);

/** Whether the user asked for less motion. */
export const wantsStillness = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

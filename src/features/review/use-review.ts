import { useState } from 'react';

/** A place in a picture, fractions of its width and height. */
export type Point = { x: number; y: number };

/** What the comments, the marks of the timeline and the points in the picture share: which comment is looked at, and the place of a new one. */
export type ReviewState = {
  /** The comment that is looked at. */
  selected: string | null;
  select: (id: string | null) => void;
  /** The place of the comment that is being written. */
  point: Point | null;
  setPoint: (point: Point | null) => void;
  /** Whether the next click into the picture sets that place. */
  picking: boolean;
  setPicking: (picking: boolean) => void;
};

type Chosen = Pick<ReviewState, 'selected' | 'point' | 'picking'>;

const nothing: Chosen = { selected: null, point: null, picking: false };

/**
 * @param mediaId each item begins with nothing chosen
 * @param onSelect is told when a comment is looked at
 */
export function useReview(mediaId: string, onSelect: () => void): ReviewState {
  const [state, setState] = useState({ mediaId, chosen: nothing });
  const chosen = state.mediaId === mediaId ? state.chosen : nothing;
  const change = (changes: Partial<Chosen>) =>
    setState((before) => ({
      mediaId,
      chosen: { ...(before.mediaId === mediaId ? before.chosen : nothing), ...changes },
    }));
  return {
    ...chosen,
    select(selected) {
      if (selected !== null) onSelect();
      change({ selected });
    },
    setPoint: (point) => change({ point }),
    setPicking: (picking) => change({ picking }),
  };
}

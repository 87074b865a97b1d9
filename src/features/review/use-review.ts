import { useMemo, useState } from 'react';

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

export function useReview(): ReviewState {
  const [selected, select] = useState<string | null>(null);
  const [point, setPoint] = useState<Point | null>(null);
  const [picking, setPicking] = useState(false);
  return useMemo(() => ({ selected, select, point, setPoint, picking, setPicking }), [selected, point, picking]);
}

import { useState } from 'react';
import { useStage, wantsStillness } from '../../lib/stage.ts';
import type { Point } from './zoom-view.ts';

/** A swipe counts from this part of the width on, or from this speed, pixels per millisecond; downwards from so many pixels. */
const enough = { part: 0.25, speed: 0.4, down: 110 };
/** As `duration-calm`. */
const settleMs = 200;

export type Axis = 'across' | 'down';

const nowhere: Point = { x: 0, y: 0 };

/**
 * Swipes across lead to the neighbours in the list, and downwards back to it.
 * @returns how far the picture is moved meanwhile, whether it moves by itself, and what to call for a move of the finger and at its end
 */
export function useSwipe() {
  const { onPrevious, onNext, onClose } = useStage();
  const [offset, setOffset] = useState(nowhere);
  const [settling, setSettling] = useState(false);
  const settle = (to: Point, then?: () => void) => {
    const isStill = wantsStillness();
    setSettling(!isStill);
    setOffset(isStill ? nowhere : to);
    if (!then) return;
    const go = () => {
      setSettling(false);
      setOffset(nowhere);
      then();
    };
    if (isStill) go();
    else setTimeout(go, settleMs);
  };
  const goFor = (x: number) => (x < 0 ? onNext : onPrevious);
  return {
    offset,
    settling,
    moveTo(axis: Axis, { x, y }: Point) {
      setSettling(false);
      // Where there is nothing more it follows the finger less.
      setOffset(axis === 'across' ? { x: goFor(x) ? x : x / 4, y: 0 } : { x: 0, y: Math.max(0, y) });
    },
    end(axis: Axis, { x, y }: Point, velocity: Point, { width, height }: DOMRect) {
      const go = goFor(x);
      const isFast = Math.abs(velocity.x) > enough.speed && velocity.x * x > 0;
      if (axis === 'across' && go && (isFast || Math.abs(x) > enough.part * width)) {
        settle({ x: Math.sign(x) * width, y: 0 }, go);
      } else if (axis === 'down' && y > 0 && (velocity.y > enough.speed || y > enough.down)) {
        settle({ x: 0, y: height / 2 }, onClose);
      } else settle(nowhere);
    },
    cancel: () => settle(nowhere),
  };
}

import { type RefObject, useEffect, useState } from 'react';
import type { Span } from './span.ts';

/**
 * Plays a video backwards, by seeking: browsers play forwards only. It goes as fast as they seek.
 * @returns the speed backwards, 0 when it does not; and how to set it
 */
export function useReverse(
  ref: RefObject<HTMLVideoElement | null>,
  { start }: Span,
): [speed: number, setSpeed: (speed: number) => void] {
  const [speed, setSpeed] = useState(0);
  useEffect(() => {
    const video = ref.current;
    if (!video || speed === 0) return undefined;
    let position = video.currentTime;
    let last = performance.now();
    const step = (now: number) => {
      if (!video.seeking) {
        position = Math.max(start, position - (speed * (now - last)) / 1000);
        last = now;
        video.currentTime = position;
      }
      if (position <= start) setSpeed(0);
      else handle = requestAnimationFrame(step);
    };
    let handle = requestAnimationFrame(step);
    const stop = () => setSpeed(0);
    video.addEventListener('play', stop);
    return () => {
      cancelAnimationFrame(handle);
      video.removeEventListener('play', stop);
    };
  }, [ref, start, speed]);
  return [speed, setSpeed];
}

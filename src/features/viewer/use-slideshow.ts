import { useEffect, useEffectEvent, useState } from 'react';
import { useStoredText } from '../../lib/stored-state.ts';

/** Seconds that a photograph may be shown. */
export const intervals = [3, 5, 7, 10] as const;

const usual = 5;

/** How long a slideshow shows a photograph, which this browser remembers. */
export function useInterval(): [seconds: number, choose: (seconds: number) => void] {
  const [stored, store] = useStoredText('slideshow-seconds');
  const seconds = intervals.find((interval) => interval === Number(stored)) ?? usual;
  return [seconds, (chosen) => store(String(chosen))];
}

/**
 * Goes through a list by itself: from a photograph after some seconds, from a video at its end. Any input stops it, and so does the end of
 * the list.
 * @param shown what is shown: each starts over
 * @param isReady whether it is a photograph that is there to be looked at
 */
export function useSlideshow(shown: string, isReady: boolean, onNext: (() => void) | null) {
  const [running, setRunning] = useState(false);
  const [seconds] = useInterval();
  const goOn = () => {
    if (onNext) onNext();
    else setRunning(false);
  };
  useTimeout(running && isReady ? seconds : null, shown, goOn);
  useEffect(() => {
    if (!running) return undefined;
    const stop = (event: Event) => {
      // One key stops it and does nothing else.
      if (event instanceof KeyboardEvent && !event.ctrlKey && !event.metaKey) {
        event.stopPropagation();
        event.preventDefault();
      }
      setRunning(false);
    };
    window.addEventListener('keydown', stop, { capture: true });
    window.addEventListener('wheel', stop, { passive: true });
    return () => {
      window.removeEventListener('keydown', stop, { capture: true });
      window.removeEventListener('wheel', stop);
    };
  }, [running]);
  return {
    running,
    start: () => setRunning(true),
    stop: () => setRunning(false),
    /** To be told the end of a video, and input to the picture. */
    frame: running ? { onFinished: goOn, onInput: () => setRunning(false) } : null,
  };
}

/** Calls back after some seconds, unless they are null. @param about what they are counted for: for another they start over */
function useTimeout(seconds: number | null, about: string, onEnd: () => void): void {
  const end = useEffectEvent((_about: string) => onEnd());
  useEffect(() => {
    if (seconds === null) return undefined;
    const timer = setTimeout(() => end(about), seconds * 1000);
    return () => clearTimeout(timer);
  }, [seconds, about]);
}

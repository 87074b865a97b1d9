import { type RefObject, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';

/**
 * Whether an element fills the screen, and how to change that.
 * @param video what fills it where the browser does not let other elements
 */
export function useFullscreen(
  stage: RefObject<HTMLElement | null>,
  video: RefObject<HTMLVideoElement | null>,
): [isFull: boolean, toggle: () => void] {
  const isFull = useSyncExternalStore(
    (listener) => {
      document.addEventListener('fullscreenchange', listener);
      return () => document.removeEventListener('fullscreenchange', listener);
    },
    () => document.fullscreenElement !== null && document.fullscreenElement === stage.current,
  );
  const toggle = () => {
    const element: Partial<HTMLElement> | null = stage.current;
    // A refusal leaves the page as it is.
    if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
    else if (element?.requestFullscreen) stage.current?.requestFullscreen().catch(() => undefined);
    else enterByVideo(video.current);
  };
  return [isFull, toggle];
}

/** Safari on a phone shows a video alone in full screen, and no other element. */
function enterByVideo(video: (HTMLVideoElement & { webkitEnterFullscreen?: () => void }) | null): void {
  video?.webkitEnterFullscreen?.();
}

/** After this long without a movement the controls of a full screen hide. */
const idleMs = 2500;

/** Whether the pointer has rested for a while; and what to call when it moves. Never while not `watching`. */
export function useIdle(watching: boolean): [isIdle: boolean, wake: () => void] {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [idle, setIdle] = useState(false);
  const wait = useEffectEvent(() => {
    timer.current = setTimeout(() => setIdle(true), idleMs);
  });
  useEffect(() => {
    if (!watching) return undefined;
    wait();
    return () => clearTimeout(timer.current);
  }, [watching]);
  return [
    idle && watching,
    () => {
      setIdle(false);
      clearTimeout(timer.current);
      if (watching) timer.current = setTimeout(() => setIdle(true), idleMs);
    },
  ];
}

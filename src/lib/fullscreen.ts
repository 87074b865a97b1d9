import { type RefObject, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}

/**
 * Whether the page fills the screen, and how to change that. The whole page does, so that dialogs and notices are seen over it too.
 * @param video what fills the screen where the browser does not let pages
 */
export function useFullscreen(video?: RefObject<HTMLVideoElement | null>): [isFull: boolean, toggle: () => void] {
  const isFull = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  const toggle = () => {
    const page: Partial<HTMLElement> = document.documentElement;
    // A refusal leaves the page as it is.
    if (document.fullscreenElement) document.exitFullscreen().catch(() => undefined);
    else if (page.requestFullscreen) document.documentElement.requestFullscreen().catch(() => undefined);
    else enterByVideo(video?.current ?? null);
  };
  return [isFull, toggle];
}

/** Safari on a phone shows a video alone in full screen, and no other element. */
function enterByVideo(video: (HTMLVideoElement & { webkitEnterFullscreen?: () => void }) | null): void {
  video?.webkitEnterFullscreen?.();
}

/** After this long without a movement bars over a picture hide. */
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
    return () => {
      clearTimeout(timer.current);
      setIdle(false);
    };
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

import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';

/** A URL of a video, where it begins (seconds), how often it was loaded again, and whether it plays then. */
type Loaded = { url: string; begin: number; attempt: number; plays: boolean };

/** The delay before each automatic load, milliseconds. */
const pauses = [0, 2000];
/** A video that breaks off this far from where it broke off before got on meanwhile, seconds. */
const progress = 0.5;

/**
 * The URL that a video plays from and where it begins. A newer URL of the same video is not used until it is loaded again: changing it
 * would stop what plays.
 * @param onReload asks for a new URL: they expire
 */
export function useLoaded(
  video: RefObject<HTMLVideoElement | null>,
  url: string,
  begin: number,
  onReload: () => Promise<string | undefined>,
): {
  loaded: Loaded;
  /** Has it begin at another time, seconds: what the user chose before anything of it was there. */
  beginAt: (time: number) => void;
  /** Loads it again and plays on where it stopped. */
  reload: () => void;
  /**
   * Loads it again by itself where that may help: the address of a bucket that the service redirected to expires while the video plays, and
   * the browser goes on asking there. Plays on where it stopped, or stays paused there.
   * @param code of `MediaError`
   * @returns false: it does nothing, or has done so often enough
   */
  recover: (code: number | undefined) => boolean;
} {
  const [loaded, setLoaded] = useState<Loaded>({ url, begin, attempt: 0, plays: true });
  const tries = useRef({ count: 0, at: begin });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { attempt: loads, plays: playsOn } = loaded;
  useEffect(() => {
    if (loads === 0) return;
    // Also where the URL is the same.
    video.current?.load();
    if (playsOn) video.current?.play().catch(() => undefined);
  }, [video, loads, playsOn]);
  const beginAt = useCallback((time: number) => setLoaded((last) => ({ ...last, begin: time })), []);
  useEffect(() => () => clearTimeout(timer.current), []);

  /** Where it stopped; before anything of it is there, the time of a video is 0. */
  const readPlace = () => (video.current?.readyState ? video.current.currentTime : loaded.begin);
  const load = async (plays: boolean) => {
    const at = readPlace();
    const newest = await onReload().catch(() => undefined);
    setLoaded(({ url: last, attempt }) => ({ url: newest ?? last, begin: at, attempt: attempt + 1, plays }));
  };
  const recover = (code: number | undefined): boolean => {
    const at = readPlace();
    const last = tries.current;
    const count = Math.abs(at - last.at) > progress ? 0 : last.count;
    // A load that is refused has no error but this one.
    const isBroken =
      code === MediaError.MEDIA_ERR_NETWORK || (count > 0 && code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED);
    const pause = pauses[count];
    if (!isBroken || pause === undefined) return false;
    tries.current = { count: count + 1, at };
    const plays = video.current?.paused === false;
    timer.current = setTimeout(() => void load(plays), pause);
    return true;
  };
  useStops(video, () => recover(MediaError.MEDIA_ERR_NETWORK));
  return {
    loaded,
    beginAt,
    recover,
    reload() {
      clearTimeout(timer.current);
      tries.current.count = 0;
      void load(true);
    },
  };
}

const stopEvents = ['stalled', 'waiting', 'seeking', 'progress', 'emptied'] as const;

/**
 * Calls `onStop` when a video waits for data and none has come for some seconds (`stalled`). Chromium asks an address that is refused for half
 * a minute before it says that there is an error.
 */
function useStops(video: RefObject<HTMLVideoElement | null>, onStop: () => void): void {
  const stop = useEffectEvent(onStop);
  useEffect(() => {
    const element = video.current;
    if (!element) return undefined;
    let isStalled = false;
    const onEvent = ({ type }: Event) => {
      if (type === 'stalled') isStalled = true;
      if (type === 'progress' || type === 'emptied') isStalled = false;
      const { readyState } = element;
      const isWaiting = readyState >= HTMLMediaElement.HAVE_METADATA && readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
      if (!isStalled || !isWaiting) return;
      isStalled = false;
      stop();
    };
    for (const type of stopEvents) element.addEventListener(type, onEvent);
    return () => {
      for (const type of stopEvents) element.removeEventListener(type, onEvent);
    };
  }, [video]);
}

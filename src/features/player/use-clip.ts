import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { toMoment } from '../../lib/timecode.ts';
import { useAtEnd } from './at-end.ts';
import { type Sound, useSound } from './sound.ts';
import { type Span, clampToSpan, isAtEnd, lastFrameOf, startsOver } from './span.ts';
import { useLoaded } from './use-loaded.ts';

type ClipOptions = {
  /** Seconds, where it begins. */
  begin: number;
  autoplay: boolean;
  onNext?: (() => void) | null;
  /** Takes the place of what the user chose for the end, while a slideshow runs. */
  onFinished: (() => void) | null;
  onMoment?: (time: number) => void;
  onReload: () => Promise<string | undefined>;
};

/** The state of a playing clip, and what people do with it. */
export type ClipState = ReturnType<typeof useClip>;

/** Plays a span of a video, forwards or backwards. */
export function useClip(span: Span, url: string, { begin, autoplay, onMoment, onReload, ...ends }: ClipOptions) {
  const video = useRef<HTMLVideoElement>(null);
  const [playing, setPlaying] = useState(false);
  const [started, setStarted] = useState(autoplay);
  const [speed, setSpeed] = useSpeed(video);
  const sound = useVideoSound(video, autoplay);
  const source = useLoaded(video, url, clampToSpan(span, begin), onReload);
  const { atEnd, chooseAtEnd, goesRound, goOn } = useEnd(ends);
  const [time, showTime] = useSpanPlayback(video, span, source.loaded.begin, goesRound, goOn);
  const [reverse, setReverse] = useReverse(video, span);
  useAutoplay(video, autoplay, sound);

  const play = () => {
    setReverse(0);
    setStarted(true);
    startPlaying(video.current);
  };
  const now = () => video.current?.currentTime ?? time;
  const pause = () => {
    setReverse(0);
    video.current?.pause();
    onMoment?.(toMoment(now()));
  };
  const { start, end } = span;
  const { beginAt } = source;
  // The same from frame to frame: what lists thousands of scenes is not drawn again with each.
  const seek = useCallback(
    (to: number) => {
      if (!video.current) return;
      const target = clampToSpan({ start, end }, to);
      setReverse(0);
      setStarted(true);
      // Until it is known how long it is, it would go back to where it begins.
      if (video.current.readyState === HTMLMediaElement.HAVE_NOTHING) beginAt(target);
      else video.current.currentTime = target;
      showTime(target);
      onMoment?.(toMoment(target));
    },
    [start, end, beginAt, setReverse, showTime, onMoment],
  );
  return {
    video,
    ...source,
    time,
    playing,
    setPlaying,
    started,
    reverse,
    setReverse,
    speed,
    setSpeed,
    sound,
    atEnd,
    chooseAtEnd,
    play,
    pause,
    toggle: () => (video.current?.paused === false || reverse > 0 ? pause() : play()),
    seek,
    seekBy: (seconds: number) => seek(now() + seconds),
  };
}

/** What happens at the end of a clip: what the user chose, or what the slideshow does that runs. */
function useEnd({ onNext, onFinished }: Pick<ClipOptions, 'onNext' | 'onFinished'>) {
  const [atEnd, chooseAtEnd] = useAtEnd();
  const go = onFinished ?? (atEnd === 'next' ? onNext : null);
  return { atEnd, chooseAtEnd, goesRound: atEnd === 'loop' && !onFinished, goOn: () => go?.() };
}

/** A browser may refuse to start sound without a click; the button stays then. */
const startPlaying = (video: HTMLVideoElement | null): void => void video?.play().catch(() => undefined);

/** How fast a video plays, and what changes that. */
function useSpeed(video: RefObject<HTMLVideoElement | null>) {
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    if (video.current) Object.assign(video.current, { playbackRate: speed });
  }, [video, speed]);
  return [speed, setSpeed] as const;
}

/** How loud a video plays, and what changes that. */
function useVideoSound(video: RefObject<HTMLVideoElement | null>, autoplay: boolean): Sound {
  const sound = useSound(autoplay);
  const { volume, muted } = sound;
  useEffect(() => {
    if (video.current) Object.assign(video.current, { volume, muted });
  }, [video, volume, muted]);
  return sound;
}

/** Starts the clip once. Where the browser allows that in silence only, it starts in silence. */
function useAutoplay(video: RefObject<HTMLVideoElement | null>, autoplay: boolean, { silence }: Sound): void {
  const start = useEffectEvent(async (element: HTMLVideoElement) => {
    try {
      await element.play();
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return;
      silence();
      Object.assign(element, { muted: true });
      element.play().catch(() => undefined);
    }
  });
  useEffect(() => {
    if (autoplay && video.current) void start(video.current);
  }, [video, autoplay]);
}

/**
 * Plays a video backwards, by seeking: browsers play forwards only. It goes as fast as they seek.
 * @returns the speed backwards, 0 when it does not; and how to set it
 */
function useReverse(
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

/**
 * Keeps a video between `start` and `end`: begins at a moment of the span, and at the end returns to the start when looping, or else stops.
 * @param begin seconds; where the video begins each time it is loaded
 * @param onFinished called when the end was reached without looping
 * @returns the time within the whole video, seconds; and how to show another one while the video seeks to it
 */
function useSpanPlayback(
  ref: RefObject<HTMLVideoElement | null>,
  { start, end }: Span,
  begin: number,
  loop: boolean,
  onFinished: () => void,
): [time: number, show: (time: number) => void] {
  const [time, setTime] = useState(begin);
  const finish = useEffectEvent(onFinished);

  useEffect(() => {
    const video = ref.current;
    if (!video) return undefined;
    const goThere = () => {
      video.currentTime = begin;
      setTime(begin);
    };
    if (video.readyState >= HTMLMediaElement.HAVE_METADATA) goThere();
    // Each time: after an error it is loaded again.
    video.addEventListener('loadedmetadata', goThere);
    return () => video.removeEventListener('loadedmetadata', goThere);
  }, [ref, begin]);

  useEffect(() => {
    const video = ref.current;
    if (!video) return undefined;
    const span = { start, end };
    const stopWatching = watchTime(video, (now) => {
      setTime(now);
      if (!isAtEnd(span, now) || video.paused) return;
      if (loop) {
        video.currentTime = start;
      } else {
        video.pause();
        video.currentTime = lastFrameOf(span);
        finish();
      }
    });
    const onPlay = () => {
      if (startsOver(span, video.currentTime)) video.currentTime = start;
    };
    // The video itself may end before its last frame is seen here.
    const onEnded = () => {
      if (!loop) {
        finish();
        return;
      }
      video.currentTime = start;
      void video.play();
    };
    video.addEventListener('play', onPlay);
    video.addEventListener('ended', onEnded);
    return () => {
      stopWatching();
      video.removeEventListener('play', onPlay);
      video.removeEventListener('ended', onEnded);
    };
  }, [ref, start, end, loop]);

  return [time, setTime];
}

/** Two times that differ by more are of two frames, seconds. */
const longestFrame = 0.25;

/**
 * Reports the time of every frame that is shown (`requestVideoFrameCallback`); where a browser lacks that, the time four times a second
 * (`timeupdate`).
 * @returns stops it
 */
function watchTime(video: HTMLVideoElement, onTime: (time: number) => void): () => void {
  if (!Reflect.has(video, 'requestVideoFrameCallback')) {
    const listener = () => onTime(video.currentTime);
    video.addEventListener('timeupdate', listener);
    return () => video.removeEventListener('timeupdate', listener);
  }
  let reported = 0;
  const report = (time: number) => onTime((reported = time));
  const onFrame = (_: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    report(mediaTime);
    handle = video.requestVideoFrameCallback(onFrame);
  };
  let handle = video.requestVideoFrameCallback(onFrame);
  // On a busy machine the frame that a paused video goes to may be shown without being reported.
  const onSeeked = () => {
    if (Math.abs(video.currentTime - reported) > longestFrame) report(video.currentTime);
  };
  video.addEventListener('seeked', onSeeked);
  // Sound alone has no frames: its time is read as often as the page is drawn.
  let drawing = 0;
  const onDraw = () => {
    drawing = requestAnimationFrame(onDraw);
    if (video.videoWidth === 0 && video.currentTime !== reported) report(video.currentTime);
  };
  const onPlay = () => {
    cancelAnimationFrame(drawing);
    onDraw();
  };
  const onPause = () => cancelAnimationFrame(drawing);
  video.addEventListener('playing', onPlay);
  video.addEventListener('pause', onPause);
  return () => {
    onPause();
    video.cancelVideoFrameCallback(handle);
    video.removeEventListener('seeked', onSeeked);
    video.removeEventListener('playing', onPlay);
    video.removeEventListener('pause', onPause);
  };
}

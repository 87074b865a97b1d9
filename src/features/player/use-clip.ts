import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { toMoment } from '../../lib/timecode.ts';
import { useAtEnd } from './at-end.ts';
import { type Sound, useSound } from './sound.ts';
import { clampToSpan, type Span } from './span.ts';
import { useLoaded } from './use-loaded.ts';
import { useReverse } from './use-reverse.ts';
import { useSpanPlayback } from './use-span-playback.ts';

type ClipOptions = {
  /** Seconds, where it begins. */
  begin: number;
  autoplay: boolean;
  onNext?: (() => void) | null;
  onMoment?: (time: number) => void;
  onReload: () => Promise<string | undefined>;
};

/** The state of a playing clip, and what people do with it. */
export type ClipState = ReturnType<typeof useClip>;

/** Plays a span of a video, forwards or backwards. */
export function useClip(span: Span, url: string, { begin, autoplay, onNext, onMoment, onReload }: ClipOptions) {
  const video = useRef<HTMLVideoElement>(null);
  const [atEnd, chooseAtEnd] = useAtEnd();
  const [playing, setPlaying] = useState(false);
  const [started, setStarted] = useState(autoplay);
  const [speed, setSpeed] = useSpeed(video);
  const sound = useVideoSound(video, autoplay);
  const source = useLoaded(video, url, clampToSpan(span, begin), onReload);
  const [time, showTime] = useSpanPlayback(video, span, source.loaded.begin, atEnd === 'loop', () => {
    if (atEnd === 'next') onNext?.();
  });
  const [reverse, setReverse] = useReverse(video, span);
  useAutoplay(video, autoplay, sound);

  const play = () => {
    setReverse(0);
    setStarted(true);
    // A browser may refuse to start sound without a click; the button stays then.
    video.current?.play().catch(() => undefined);
  };
  const pause = () => {
    setReverse(0);
    video.current?.pause();
    onMoment?.(toMoment(video.current?.currentTime ?? time));
  };
  const { start, end } = span;
  // The same from frame to frame: what lists thousands of scenes is not drawn again with each.
  const seek = useCallback(
    (to: number) => {
      if (!video.current) return;
      const target = clampToSpan({ start, end }, to);
      setReverse(0);
      setStarted(true);
      video.current.currentTime = target;
      showTime(target);
      onMoment?.(toMoment(target));
    },
    [start, end, setReverse, showTime, onMoment],
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
    seekBy: (seconds: number) => seek((video.current?.currentTime ?? time) + seconds),
  };
}

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

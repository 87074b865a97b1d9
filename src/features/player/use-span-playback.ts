import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { isAtEnd, lastFrameOf, type Span, startsOver } from './span.ts';

/**
 * Keeps a video between `start` and `end`: begins at the start, and at the end returns to it when looping, or else stops.
 * @param onFinished called when the end was reached without looping
 * @returns the time within the whole video, seconds
 */
export function useSpanPlayback(
  ref: RefObject<HTMLVideoElement | null>,
  { start, end }: Span,
  loop: boolean,
  onFinished: () => void,
): number {
  const [time, setTime] = useState(start);
  const finish = useEffectEvent(onFinished);

  useEffect(() => {
    const video = ref.current;
    if (!video) return undefined;
    const begin = () => {
      video.currentTime = start;
      setTime(start);
    };
    if (video.readyState >= HTMLMediaElement.HAVE_METADATA) begin();
    else video.addEventListener('loadedmetadata', begin, { once: true });
    return () => video.removeEventListener('loadedmetadata', begin);
  }, [ref, start]);

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

  return time;
}

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
  const onFrame = (_: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    onTime(mediaTime);
    handle = video.requestVideoFrameCallback(onFrame);
  };
  let handle = video.requestVideoFrameCallback(onFrame);
  return () => video.cancelVideoFrameCallback(handle);
}

import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { isAtEnd, lastFrameOf, type Span, startsOver } from './span.ts';

/**
 * Keeps a video between `start` and `end`: begins at a moment of the span, and at the end returns to the start when looping, or else stops.
 * @param begin seconds; where the video begins each time it is loaded
 * @param onFinished called when the end was reached without looping
 * @returns the time within the whole video, seconds; and how to show another one while the video seeks to it
 */
export function useSpanPlayback(
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
  return () => {
    video.cancelVideoFrameCallback(handle);
    video.removeEventListener('seeked', onSeeked);
  };
}

import { type RefObject, useEffect, useEffectEvent, useState } from 'react';

type Span = { start: number; end: number };

/**
 * Keeps a video between `start` and `end`: begins at the start, and at the end goes back to it when looping, or else stops.
 * Watches every frame (`requestVideoFrameCallback`); `timeupdate`, which comes four times a second, is the fallback.
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
    let handle = 0;
    const byFrame = Reflect.has(video, 'requestVideoFrameCallback');
    const look = (_: unknown, frame?: VideoFrameCallbackMetadata) => {
      const now = frame?.mediaTime ?? video.currentTime;
      setTime(now);
      // The frame at `end` is the first of the next shot, so what is shown must lie before it.
      if (now >= end - 0.02 && !video.paused) {
        if (loop) {
          video.currentTime = start;
        } else {
          video.pause();
          video.currentTime = Math.max(start, end - 0.04);
          finish();
        }
      }
      if (byFrame) handle = video.requestVideoFrameCallback(look);
    };
    const onPlay = () => {
      if (video.currentTime < start - 0.05 || video.currentTime >= end - 0.06) video.currentTime = start;
    };
    // The video itself may end before the last frame is seen here.
    const onEnded = () => {
      if (!loop) {
        finish();
        return;
      }
      video.currentTime = start;
      void video.play();
    };
    const onTime = () => look(undefined);
    if (byFrame) handle = video.requestVideoFrameCallback(look);
    else video.addEventListener('timeupdate', onTime);
    video.addEventListener('play', onPlay);
    video.addEventListener('ended', onEnded);
    return () => {
      if (byFrame) video.cancelVideoFrameCallback(handle);
      video.removeEventListener('timeupdate', onTime);
      video.removeEventListener('play', onPlay);
      video.removeEventListener('ended', onEnded);
    };
  }, [ref, start, end, loop]);

  return time;
}

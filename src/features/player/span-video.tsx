import { clsx } from 'clsx';
import { LoaderCircle, Play, RotateCw } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useReducer, useState } from 'react';
import type { BoxedText } from '../../lib/found-text.ts';
import { useStage } from '../../lib/stage.ts';
import { Button } from '../../ui/button.tsx';
import { Beside } from './beside.tsx';
import { TextFrames } from './text-frames.tsx';
import { useGestures } from './use-gestures.ts';

type SpanVideoProps = {
  ref: RefObject<HTMLVideoElement | null>;
  /** The URL, and seconds where it begins. */
  source: { url: string; begin: number };
  poster: string;
  /** Whether it has not been played yet. */
  idle: boolean;
  /** Texts of the frame that is shown, which are framed for some seconds. */
  texts: readonly BoxedText[];
  /** What else lies over the picture. */
  overlay: ReactNode;
  /** What is said, over the picture. */
  captions: ReactNode;
  onToggle: () => void;
  onFullscreen: () => void;
  onPlaying: (playing: boolean) => void;
  /** Loads the video again. */
  onRetry: () => void;
  /** Told the code of each `MediaError`; true: the video is loaded again, so that no failure is shown. */
  onBroken: (code: number | undefined) => boolean;
};

/** The video of a player; over it that it is loading, or why it cannot be played. */
export function SpanVideo({ ref, source, poster, idle, texts, overlay, captions, ...actions }: SpanVideoProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const [waiting, setWaiting] = useState(false);
  // Going to a text again shows again where it is.
  const [seeks, countSeek] = useReducer((count: number) => count + 1, 0);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const { onPlaying } = actions;
  const { transitionName } = useStage();
  const { offset, settling, handlers } = useGestures(null);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the buttons and keys do the same
    <div data-stage className="absolute inset-0 touch-none bg-black select-none" {...handlers}>
      <div
        className={clsx('absolute inset-0', settling && 'transition-transform duration-calm')}
        style={{ transform: `translate(${offset.x}px, ${offset.y}px)`, opacity: 1 - Math.min(0.6, offset.y / 500) }}
      >
        <Beside />
        {/* eslint-disable-next-line jsx-a11y/media-has-caption -- they are drawn over it, so that they can be read above the controls */}
        <video
          ref={ref}
          // The browser itself begins there: a busy one may show the first frame of the file before a script can seek to the span.
          src={`${source.url}#t=${source.begin}`}
          poster={poster}
          playsInline
          preload="auto"
          aria-label="Clip"
          className="size-full object-contain"
          style={{ viewTransitionName: transitionName }}
          // A finger shows the controls first, or hides them (`useGestures`).
          onClick={({ nativeEvent }) => {
            if ((nativeEvent as unknown as PointerEvent).pointerType !== 'touch') actions.onToggle();
          }}
          onDoubleClick={actions.onFullscreen}
          onPlay={() => onPlaying(true)}
          onPause={() => onPlaying(false)}
          onWaiting={() => setWaiting(true)}
          onSeeking={() => {
            setWaiting(true);
            countSeek();
          }}
          onSeeked={() => setWaiting(false)}
          onPlaying={() => setWaiting(false)}
          onCanPlay={() => setWaiting(false)}
          onResize={({ currentTarget: { videoWidth: width, videoHeight: height } }) => setSize({ width, height })}
          onLoadedData={() => setFailure(null)}
          onError={({ currentTarget: { error } }) => {
            if (actions.onBroken(error?.code)) setWaiting(true);
            else setFailure(describeFailure(error?.code));
          }}
        />
        {failure === null ? <TextFrames key={seeks} texts={texts} size={size} /> : null}
        {overlay}
      </div>
      {captions}
      {failure === null && waiting ? <Waiting /> : null}
      {failure === null && idle ? <LargePlay /> : null}
      {failure === null ? null : <Failure text={failure} onRetry={actions.onRetry} />}
    </div>
  );
}

/** Says that a click plays. */
const LargePlay = () => (
  <span className="pointer-events-none absolute inset-0 grid place-items-center" aria-hidden>
    <span className="grid size-16 place-items-center rounded-full bg-black/60 text-white">
      <Play className="size-7 translate-x-0.5" />
    </span>
  </span>
);

const Failure = ({ text, onRetry }: { text: string; onRetry: () => void }) => (
  <div
    role="alert"
    className="absolute inset-0 grid place-content-center justify-items-center gap-3 bg-black/80 p-6 text-center text-white"
  >
    <p className="max-w-md">{text}</p>
    <Button onClick={onRetry}>
      <RotateCw aria-hidden />
      Try again
    </Button>
  </div>
);

/** Shown when waiting takes longer than people take for nothing. */
function Waiting() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 400);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <span role="status" className="pointer-events-none absolute inset-0 grid place-items-center text-white">
      <LoaderCircle className="size-10 animate-spin drop-shadow" aria-hidden />
      <span className="sr-only">Loading the video</span>
    </span>
  );
}

/** What an error of a video means (`MediaError.code`, HTML 4.8.11.1). */
function describeFailure(code: number | undefined): string {
  if (code === MediaError.MEDIA_ERR_NETWORK) {
    return 'The connection broke off while the video was loading. Playback goes on from here once it is back.';
  }
  if (code === MediaError.MEDIA_ERR_DECODE) {
    return 'The browser could not decode this part of the video. It may be damaged here; other parts may still play.';
  }
  return 'The video could not be loaded. Its link may have expired, or the server is not reachable.';
}

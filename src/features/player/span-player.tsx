import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { useAtEnd } from './at-end.ts';
import { ChunkTimeline } from './chunk-timeline.tsx';
import { PlayerControls } from './player-controls.tsx';
import { clampToSpan, frameSeconds } from './span.ts';
import { usePlayerKeys } from './use-player-keys.ts';
import { useSpanPlayback } from './use-span-playback.ts';

type SpanPlayerProps = {
  url: string;
  poster: string;
  start: number;
  end: number;
  /** Parts of the span to jump to. */
  chunks?: Chunk[];
  /** Opens the next clip of a list; null at its end, undefined where there is no list. */
  onNext?: (() => void) | null;
  /** Searches for what is similar to the moment that is shown. */
  onFindSimilar?: (time: number) => void;
};

/**
 * Plays a span of a video from `start` to `end`. Space plays and pauses, comma and full stop step by a frame, L loops, N continues with the
 * next hit.
 */
export function SpanPlayer({ url, poster, start, end, chunks, onNext, onFindSimilar }: SpanPlayerProps) {
  const ref = useRef<HTMLVideoElement>(null);
  const [atEnd, chooseAtEnd] = useAtEnd();
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const time = useSpanPlayback(ref, { start, end }, atEnd === 'loop', () => {
    if (atEnd === 'next') onNext?.();
  });

  const toggle = () => {
    const video = ref.current;
    // A browser may refuse to start sound without a click; the button stays then.
    if (video?.paused) video.play().catch(() => undefined);
    else video?.pause();
  };
  const seek = (to: number) => {
    const video = ref.current;
    if (!video) return;
    video.pause();
    video.currentTime = clampToSpan({ start, end }, to);
  };
  const step = (seconds: number) => seek((ref.current?.currentTime ?? 0) + seconds);

  useEffect(() => {
    if (ref.current) ref.current.playbackRate = speed;
  }, [speed]);
  useEffect(() => {
    ref.current?.play().catch(() => undefined);
  }, []);
  usePlayerKeys({
    ' ': toggle,
    ',': () => step(-frameSeconds),
    '.': () => step(frameSeconds),
    l: () => chooseAtEnd('loop'),
    ...(onNext === undefined ? {} : { n: () => chooseAtEnd('next') }),
  });

  return (
    <div>
      <SpanVideo ref={ref} url={url} poster={poster} start={start} onToggle={toggle} onPlaying={setPlaying} />
      <PlayerControls
        span={{ start, end }}
        time={time}
        playing={playing}
        speed={speed}
        atEnd={atEnd}
        hasNext={onNext !== undefined}
        onToggle={toggle}
        onSeek={seek}
        onSpeed={setSpeed}
        onAtEnd={chooseAtEnd}
        onFindSimilar={onFindSimilar}
      />
      {chunks && chunks.length > 1 ? <ChunkTimeline chunks={chunks} time={time} onJump={seek} /> : null}
    </div>
  );
}

/** The video itself, and a message when it cannot be played. */
function SpanVideo({
  ref,
  url,
  poster,
  start,
  onToggle,
  onPlaying,
}: Pick<SpanPlayerProps, 'url' | 'poster' | 'start'> & {
  ref: RefObject<HTMLVideoElement | null>;
  onToggle: () => void;
  onPlaying: (playing: boolean) => void;
}) {
  const [failed, setFailed] = useState(false);
  return (
    <div className="relative bg-black">
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- uploads carry their subtitles as searchable text, not as a track */}
      <video
        ref={ref}
        // The browser itself begins there: a busy one may show the first frame of the file before a script can seek to the span.
        src={`${url}#t=${start}`}
        poster={poster}
        playsInline
        preload="auto"
        aria-label="Clip"
        className="mx-auto max-h-[60dvh] w-full"
        onClick={onToggle}
        onPlay={() => onPlaying(true)}
        onPause={() => onPlaying(false)}
        onError={() => setFailed(true)}
      />
      {failed ? (
        <p role="alert" className="absolute inset-0 grid place-items-center bg-black/80 p-6 text-center text-white">
          The clip cannot be played. Reload the page to get a new URL for it.
        </p>
      ) : null}
    </div>
  );
}

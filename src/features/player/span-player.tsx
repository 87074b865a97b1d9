import { ListVideo, Pause, Play, Repeat, ScanSearch } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { useAtEnd } from './at-end.ts';
import { ChunkTimeline } from './chunk-timeline.tsx';
import { useSpanPlayback } from './use-span-playback.ts';

/** One frame at the usual rate; the file's own is not known to a browser. */
const frameSeconds = 1 / 25;
const speeds = [0.25, 0.5, 1, 1.5, 2];

/**
 * Plays a span of a video from `start` to `end`. Space plays and pauses, comma and full stop step by a frame, L loops, N goes on to the next hit.
 */
export function SpanPlayer({
  url,
  poster,
  start,
  end,
  chunks,
  onNext,
  onFindSimilar,
}: {
  url: string;
  poster: string;
  start: number;
  end: number;
  /** Parts of the span to jump to. */
  chunks?: Chunk[];
  /** Goes to the next clip of a list; null at its end, undefined where there is no list. */
  onNext?: (() => void) | null;
  /** Asked for what is like the moment that is shown. */
  onFindSimilar?: (time: number) => void;
}) {
  const ref = useRef<HTMLVideoElement>(null);
  const [atEnd, chooseAtEnd] = useAtEnd();
  const [playing, setPlaying] = useState(false);
  const [failed, setFailed] = useState(false);
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
    video.currentTime = Math.min(Math.max(to, start), Math.max(start, end - frameSeconds));
  };

  useEffect(() => {
    if (ref.current) ref.current.playbackRate = speed;
  }, [speed]);

  useEffect(() => {
    ref.current?.play().catch(() => undefined);
  }, []);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (
        event.target instanceof HTMLInputElement ||
        event.target instanceof HTMLSelectElement ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey
      )
        return;
      const { key } = event;
      if (key === ' ' && !(event.target instanceof HTMLButtonElement)) toggle();
      else if (key === ',') seek((ref.current?.currentTime ?? 0) - frameSeconds);
      else if (key === '.') seek((ref.current?.currentTime ?? 0) + frameSeconds);
      else if (key === 'l') chooseAtEnd('loop');
      else if (key === 'n' && onNext !== undefined) chooseAtEnd('next');
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });

  const fraction = Math.min(1, Math.max(0, (time - start) / Math.max(0.001, end - start)));
  return (
    <div>
      <div className="relative bg-black">
        {/* eslint-disable-next-line jsx-a11y/media-has-caption -- uploads carry their subtitles as searchable text, not as a track */}
        <video
          ref={ref}
          // Begun there by the browser itself: a busy one may show the first frame of all before a script can go on to the span.
          src={`${url}#t=${start}`}
          poster={poster}
          playsInline
          preload="auto"
          aria-label="Clip"
          className="mx-auto max-h-[60dvh] w-full"
          onClick={toggle}
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onError={() => setFailed(true)}
        />
        {failed ? (
          <p role="alert" className="absolute inset-0 grid place-items-center bg-black/80 p-6 text-center text-white">
            The clip cannot be played. Reload the page to get a new address for it.
          </p>
        ) : null}
      </div>
      <div className="flex items-center gap-2 border-t border-line px-3 py-2">
        <Button look="quiet" size="icon" onClick={toggle} aria-label={playing ? 'Pause' : 'Play'}>
          {playing ? <Pause aria-hidden /> : <Play aria-hidden />}
        </Button>
        <input
          type="range"
          aria-label="Position in the clip"
          aria-valuetext={formatTime(time, true)}
          min={0}
          max={1000}
          value={Math.round(fraction * 1000)}
          onChange={(event) => seek(start + (Number(event.target.value) / 1000) * (end - start))}
          className="h-1.5 min-w-0 flex-1 accent-accent"
        />
        <span className="text-xs text-quiet tabular-nums" data-time={time.toFixed(3)}>
          {formatTime(time, true)} / {formatTime(end, true)}
        </span>
        <Select
          hideLabel
          label="Speed"
          value={String(speed)}
          options={speeds.map((value) => ({ value: String(value), text: `${value}×` }))}
          onChange={(value) => setSpeed(Number(value))}
        />
        {onFindSimilar ? (
          <Button
            look="quiet"
            size="icon"
            onClick={() => onFindSimilar(time)}
            aria-label="Find similar to this moment"
            title="Find similar to this moment"
          >
            <ScanSearch aria-hidden />
          </Button>
        ) : null}
        <Button
          look={atEnd === 'loop' ? 'pressed' : 'quiet'}
          size="icon"
          onClick={() => chooseAtEnd('loop')}
          aria-label="Loop"
          title="Loop (L)"
          aria-pressed={atEnd === 'loop'}
        >
          <Repeat aria-hidden />
        </Button>
        {onNext === undefined ? null : (
          <Button
            look={atEnd === 'next' ? 'pressed' : 'quiet'}
            size="icon"
            onClick={() => chooseAtEnd('next')}
            aria-label="Go on to the next hit"
            title="Go on to the next hit (N)"
            aria-pressed={atEnd === 'next'}
          >
            <ListVideo aria-hidden />
          </Button>
        )}
      </div>
      {chunks && chunks.length > 1 ? <ChunkTimeline chunks={chunks} time={time} onJump={seek} /> : null}
    </div>
  );
}

import { Pause, Play } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Copy, MediaItem, SharedSpan } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { copyWords, describeDifference } from './describe-copy.ts';

/** Further apart than this the second player is put where the first is, seconds. */
const maxDrift = 0.15;

/** Two items side by side at the same moment of what they share; videos play together. */
export function CompareDialog({ item, copy, onClose }: { item: MediaItem; copy: Copy; onClose: () => void }) {
  const [span] = copy.spans as [SharedSpan];
  const firstRef = useRef<HTMLVideoElement>(null);
  const secondRef = useRef<HTMLVideoElement>(null);
  const sync = useSynchronousPlayers(firstRef, secondRef, span);
  const difference = describeDifference(span);
  const hasPlayer = item.type === 'video' || copy.item.type === 'video';
  return (
    <ClosableDialog
      title="Compare"
      wide="widest"
      onClose={onClose}
      description={`${copyWords[copy.kind]}${difference === '' ? '' : `: ${difference}`}.`}
    >
      <div className="mt-4 grid gap-4 sm:grid-cols-2">
        <Side name={item.filename} media={item} video={firstRef} start={span.start} end={span.end} />
        <Side
          name={copy.item.filename}
          media={copy.item}
          video={secondRef}
          start={span.other_start}
          end={span.other_end}
        />
      </div>
      {hasPlayer ? (
        <div className="mt-4 flex items-center gap-3">
          <Button variant="primary" onClick={sync.toggle}>
            {sync.isPlaying ? <Pause aria-hidden /> : <Play aria-hidden />}
            {sync.isPlaying ? 'Pause' : 'Play both'}
          </Button>
          <input
            type="range"
            aria-label="Moment of what both show"
            aria-valuetext={formatTime(sync.passed)}
            min={0}
            max={sync.length}
            step={0.05}
            value={sync.passed}
            onChange={({ currentTarget }) => sync.seek(Number(currentTarget.value))}
            className="h-9 min-w-0 flex-1 accent-accent pointer-coarse:h-11"
          />
          <span className="text-label text-quiet tabular-nums">{formatTime(sync.length)}</span>
        </div>
      ) : null}
    </ClosableDialog>
  );
}

function Side({
  name,
  media,
  video,
  start,
  end,
}: {
  name: string;
  media: MediaItem;
  video: RefObject<HTMLVideoElement | null>;
  start: number;
  end: number;
}) {
  const shape = 'aspect-video w-full rounded-control bg-black object-contain';
  return (
    <figure className="min-w-0">
      {media.type === 'video' && media.url ? (
        <video ref={video} src={media.url} muted playsInline preload="auto" aria-label={name} className={shape} />
      ) : (
        <img src={media.preview?.url ?? media.url ?? ''} alt={name} className={shape} />
      )}
      <figcaption className="mt-1.5 flex items-baseline justify-between gap-3">
        <span className="truncate font-medium" title={name}>
          {name}
        </span>
        {end > 0 ? (
          <span className="shrink-0 text-label text-quiet tabular-nums">
            {formatTime(start)} – {formatTime(end)}
          </span>
        ) : null}
      </figcaption>
    </figure>
  );
}

/** Plays two videos so that both show the same moment. The first has the clock, or the second where the first is a photograph. */
function useSynchronousPlayers(
  firstRef: RefObject<HTMLVideoElement | null>,
  secondRef: RefObject<HTMLVideoElement | null>,
  { start, end, other_start: otherStart, other_end: otherEnd, speed }: SharedSpan,
) {
  const [isPlaying, setPlaying] = useState(false);
  const [passed, setPassed] = useState(0);
  const length = end > start ? end - start : otherEnd - otherStart;

  const place = (seconds: number): void => {
    if (firstRef.current) firstRef.current.currentTime = start + seconds;
    if (secondRef.current) secondRef.current.currentTime = otherStart + seconds * (end > start ? speed : 1);
    setPassed(seconds);
  };

  useEffect(() => {
    // The first frame of what both show.
    if (firstRef.current) firstRef.current.currentTime = start;
    if (secondRef.current) secondRef.current.currentTime = otherStart;
  }, [firstRef, secondRef, start, otherStart]);

  useEffect(() => {
    if (!isPlaying) return undefined;
    const [a, b] = [firstRef.current, secondRef.current];
    if (a && b) b.playbackRate = Math.min(4, Math.max(0.25, speed));
    for (const each of [a, b]) void each?.play().catch(() => undefined);
    let frame = 0;
    const follow = () => {
      const now = a ? a.currentTime - start : (b?.currentTime ?? otherStart) - otherStart;
      // One that still looks for its place would never find it.
      if (a && b && !b.seeking && Math.abs(b.currentTime - (otherStart + now * speed)) > maxDrift)
        b.currentTime = otherStart + now * speed;
      setPassed(Math.min(length, Math.max(0, now)));
      if (now >= length) setPlaying(false);
      else frame = requestAnimationFrame(follow);
    };
    frame = requestAnimationFrame(follow);
    return () => {
      cancelAnimationFrame(frame);
      for (const each of [a, b]) each?.pause();
    };
  }, [isPlaying, firstRef, secondRef, start, otherStart, speed, length]);

  return {
    isPlaying,
    passed,
    length,
    seek: place,
    toggle: () => {
      if (!isPlaying && passed >= length - 0.05) place(0);
      setPlaying(!isPlaying);
    },
  };
}

import { ListVideo, Pause, Play, Repeat, ScanSearch } from 'lucide-react';
import { formatTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import type { AtEnd } from './at-end.ts';
import { fractionOfSpan, type Span, timeAtFraction } from './span.ts';

const speeds = [0.25, 0.5, 1, 1.5, 2];
/** Steps of the position slider. */
const sliderSteps = 1000;

type PlayerControlsProps = {
  span: Span;
  time: number;
  playing: boolean;
  speed: number;
  atEnd: AtEnd;
  /** Whether the clip is one of a list. */
  hasNext: boolean;
  onToggle: () => void;
  onSeek: (time: number) => void;
  onSpeed: (speed: number) => void;
  onAtEnd: (choice: 'loop' | 'next') => void;
  onFindSimilar: ((time: number) => void) | undefined;
};

/** The bar below a clip: play, position, speed, and what happens at the end. */
export const PlayerControls = ({
  span,
  time,
  playing,
  speed,
  atEnd,
  hasNext,
  onToggle,
  onSeek,
  onSpeed,
  onAtEnd,
  onFindSimilar,
}: PlayerControlsProps) => (
  <div className="flex items-center gap-2 border-t border-line px-3 py-2">
    <Button variant="quiet" size="icon" onClick={onToggle} aria-label={playing ? 'Pause' : 'Play'}>
      {playing ? <Pause aria-hidden /> : <Play aria-hidden />}
    </Button>
    <Position span={span} time={time} onSeek={onSeek} />
    <Select
      hideLabel
      label="Speed"
      value={String(speed)}
      options={speeds.map((value) => ({ value: String(value), text: `${value}×` }))}
      onChange={(value) => onSpeed(Number(value))}
    />
    {onFindSimilar ? (
      <Button
        variant="quiet"
        size="icon"
        onClick={() => onFindSimilar(time)}
        aria-label="Find similar to this moment"
        title="Find similar to this moment"
      >
        <ScanSearch aria-hidden />
      </Button>
    ) : null}
    <AtEndButtons atEnd={atEnd} hasNext={hasNext} onAtEnd={onAtEnd} />
  </div>
);

const Position = ({ span, time, onSeek }: Pick<PlayerControlsProps, 'span' | 'time' | 'onSeek'>) => (
  <>
    <input
      type="range"
      aria-label="Position in the clip"
      aria-valuetext={formatTime(time, true)}
      min={0}
      max={sliderSteps}
      value={Math.round(fractionOfSpan(span, time) * sliderSteps)}
      onChange={(event) => onSeek(timeAtFraction(span, Number(event.target.value) / sliderSteps))}
      className="h-1.5 min-w-0 flex-1 accent-accent"
    />
    <span className="text-xs text-quiet tabular-nums" data-time={time.toFixed(3)}>
      {formatTime(time, true)} / {formatTime(span.end, true)}
    </span>
  </>
);

const AtEndButtons = ({ atEnd, hasNext, onAtEnd }: Pick<PlayerControlsProps, 'atEnd' | 'hasNext' | 'onAtEnd'>) => (
  <>
    <Button
      variant={atEnd === 'loop' ? 'pressed' : 'quiet'}
      size="icon"
      onClick={() => onAtEnd('loop')}
      aria-label="Loop"
      title="Loop (L)"
      aria-pressed={atEnd === 'loop'}
    >
      <Repeat aria-hidden />
    </Button>
    {hasNext ? (
      <Button
        variant={atEnd === 'next' ? 'pressed' : 'quiet'}
        size="icon"
        onClick={() => onAtEnd('next')}
        aria-label="Continue with the next hit"
        title="Continue with the next hit (N)"
        aria-pressed={atEnd === 'next'}
      >
        <ListVideo aria-hidden />
      </Button>
    ) : null}
  </>
);

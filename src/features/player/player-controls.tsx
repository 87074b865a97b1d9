import {
  Captions as CaptionsIcon,
  CaptionsOff,
  FastForward,
  ListVideo,
  Maximize,
  Minimize,
  Pause,
  Play,
  Repeat,
  Rewind,
  Volume1,
  Volume2,
  VolumeX,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { formatTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { type MomentActions, PlayerMenu } from './player-menu.tsx';
import type { Sound } from './sound.ts';
import type { Captions } from './use-captions.ts';
import type { ClipState } from './use-clip.ts';

type PlayerControlsProps = {
  state: ClipState;
  /** Seconds, where the clip ends. */
  end: number;
  /** Forwards or backwards. */
  playing: boolean;
  /** Whether the clip is one of a list. */
  hasNext: boolean;
  captions: Captions;
  moment: MomentActions;
  isFull: boolean;
  onFullscreen: () => void;
};

/** The buttons of a player, in one row on any screen: what a narrow one has no room for is in the menu. */
export const PlayerControls = ({ state, end, playing, hasNext, captions, moment, ...screen }: PlayerControlsProps) => {
  const { time, reverse, atEnd, chooseAtEnd, seekBy } = state;
  const { isFull, onFullscreen } = screen;
  return (
    <div className="flex items-center gap-0.5">
      <Control label={playing ? 'Pause' : 'Play'} keys="Space, K" onClick={state.toggle}>
        {playing ? <Pause aria-hidden /> : <Play aria-hidden />}
      </Control>
      <Control wide label="Back 5 seconds" keys="Shift+Left" onClick={() => seekBy(-5)}>
        <Rewind aria-hidden />
      </Control>
      <Control wide label="Forward 5 seconds" keys="Shift+Right" onClick={() => seekBy(5)}>
        <FastForward aria-hidden />
      </Control>
      <Volume sound={state.sound} />
      <span className="min-w-0 truncate px-1 text-label tabular-nums sm:px-1.5" data-time={time.toFixed(3)}>
        {formatTime(time, true)} <span className="text-quiet">/ {formatTime(end, true)}</span>
        {reverse > 0 ? <span className="ml-1.5 font-medium text-accent">−{reverse}×</span> : null}
      </span>
      <span className="ml-auto flex items-center gap-0.5">
        {captions.toggle ? (
          <Control label="Captions" keys="C" pressed={captions.shown} onClick={captions.toggle}>
            {captions.shown ? <CaptionsIcon aria-hidden /> : <CaptionsOff aria-hidden />}
          </Control>
        ) : null}
        <Control wide label="Loop" keys="R" pressed={atEnd === 'loop'} onClick={() => chooseAtEnd('loop')}>
          <Repeat aria-hidden />
        </Control>
        {hasNext ? (
          <Control wide label="Autoplay next" keys="A" pressed={atEnd === 'next'} onClick={() => chooseAtEnd('next')}>
            <ListVideo aria-hidden />
          </Control>
        ) : null}
        <PlayerMenu state={state} captions={captions} hasNext={hasNext} moment={moment} />
        <Control label={isFull ? 'Exit full screen' : 'Full screen'} keys="F" onClick={onFullscreen}>
          {isFull ? <Minimize aria-hidden /> : <Maximize aria-hidden />}
        </Control>
      </span>
    </div>
  );
};

/** A button that fits a finger where there is one. */
const Control = ({
  label,
  keys,
  pressed,
  wide = false,
  onClick,
  children,
}: {
  label: string;
  /** The key that does the same. */
  keys: string;
  pressed?: boolean;
  /** Whether a narrow screen has no room for it. */
  wide?: boolean;
  onClick: () => void;
  children: ReactNode;
}) => (
  <Button
    variant={pressed ? 'pressed' : 'quiet'}
    size="icon"
    aria-label={label}
    title={`${label} (${keys})`}
    {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
    className={`pointer-coarse:size-11 ${wide ? 'max-sm:hidden' : 'max-sm:size-11'}`}
    onClick={onClick}
  >
    {children}
  </Button>
);

/** Mute, and beside it the volume where there is room: on a phone its own keys set that. */
function Volume({ sound: { volume, muted, setVolume, toggle } }: { sound: Sound }) {
  return (
    <span className="flex items-center">
      <Control label={muted ? 'Unmute' : 'Mute'} keys="M" pressed={muted} onClick={toggle}>
        {muted ? <VolumeX aria-hidden /> : volume < 0.5 ? <Volume1 aria-hidden /> : <Volume2 aria-hidden />}
      </Control>
      <input
        type="range"
        aria-label="Volume"
        aria-valuetext={muted ? 'Muted' : `${Math.round(volume * 100)} %`}
        min={0}
        max={1}
        step={0.05}
        value={muted ? 0 : volume}
        onChange={(event) => setVolume(Number(event.target.value))}
        className="hidden w-20 accent-accent md:block pointer-coarse:hidden"
      />
    </span>
  );
}

import {
  Captions as CaptionsIcon,
  CaptionsOff,
  FastForward,
  ListVideo,
  Maximize,
  Minimize,
  Pause,
  PictureInPicture2,
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
import { Select } from '../../ui/select.tsx';
import type { Sound } from './sound.ts';
import type { Captions } from './use-captions.ts';
import type { ClipState } from './use-clip.ts';

/** Speeds of the menu. */
const speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];

type PlayerControlsProps = {
  state: ClipState;
  /** Seconds, where the clip ends. */
  end: number;
  /** Forwards or backwards. */
  playing: boolean;
  /** Whether the clip is one of a list. */
  hasNext: boolean;
  captions: Captions;
  isFull: boolean;
  onFullscreen: () => void;
  /** Null where the browser has no picture in picture. */
  onPictureInPicture: (() => void) | null;
};

/** The buttons of a player. On a phone they take two lines. */
export const PlayerControls = ({ state, end, playing, hasNext, captions, isFull, ...actions }: PlayerControlsProps) => {
  const { time, reverse, speed, atEnd, chooseAtEnd, seekBy } = state;
  return (
    <div className="flex flex-wrap items-center gap-x-0.5 gap-y-1">
      <Control label={playing ? 'Pause' : 'Play'} keys="Space, K" onClick={state.toggle}>
        {playing ? <Pause aria-hidden /> : <Play aria-hidden />}
      </Control>
      <Control label="Back 5 seconds" keys="Shift+Left" onClick={() => seekBy(-5)}>
        <Rewind aria-hidden />
      </Control>
      <Control label="Forward 5 seconds" keys="Shift+Right" onClick={() => seekBy(5)}>
        <FastForward aria-hidden />
      </Control>
      <Volume sound={state.sound} />
      <span className="px-1.5 text-label text-quiet tabular-nums" data-time={time.toFixed(3)}>
        {formatTime(time, true)} / {formatTime(end, true)}
        {reverse > 0 ? <span className="ml-1.5 font-medium text-accent">−{reverse}×</span> : null}
      </span>
      <span className="ml-auto flex flex-wrap items-center justify-end gap-0.5 max-sm:w-full">
        <CaptionChoice captions={captions} />
        <Select
          hideLabel
          label="Speed"
          value={String(speed)}
          options={speeds.map((value) => ({ value: String(value), text: `${value}×` }))}
          onChange={(value) => state.setSpeed(Number(value))}
          triggerClassName="max-sm:h-11"
        />
        <Control label="Loop" keys="R" pressed={atEnd === 'loop'} onClick={() => chooseAtEnd('loop')}>
          <Repeat aria-hidden />
        </Control>
        {hasNext ? (
          <Control label="Autoplay next" keys="A" pressed={atEnd === 'next'} onClick={() => chooseAtEnd('next')}>
            <ListVideo aria-hidden />
          </Control>
        ) : null}
        {actions.onPictureInPicture ? (
          <Control label="Picture in picture" keys="P" onClick={actions.onPictureInPicture}>
            <PictureInPicture2 aria-hidden />
          </Control>
        ) : null}
        <Control label={isFull ? 'Exit full screen' : 'Full screen'} keys="F" onClick={actions.onFullscreen}>
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
  onClick,
  children,
}: {
  label: string;
  /** The key that does the same. */
  keys: string;
  pressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}) => (
  <Button
    variant={pressed ? 'pressed' : 'quiet'}
    size="icon"
    aria-label={label}
    title={`${label} (${keys})`}
    {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
    className="max-sm:size-11 pointer-coarse:size-11"
    onClick={onClick}
  >
    {children}
  </Button>
);

/** Captions on or off, and of which track where there are several; nothing where there are none. */
function CaptionChoice({ captions: { shown, toggle, names, place, choose } }: { captions: Captions }) {
  if (!toggle) return null;
  return (
    <>
      {shown && names.length > 1 ? (
        <Select
          hideLabel
          label="Captions in"
          value={String(place)}
          options={names.map((text, i) => ({ value: String(i), text }))}
          onChange={(value) => choose(Number(value))}
          // On a phone on a line of its own.
          className="max-sm:order-last max-sm:basis-full"
          triggerClassName="max-sm:h-11 max-sm:w-full max-sm:max-w-full"
        />
      ) : null}
      <Control label="Captions" keys="C" pressed={shown} onClick={toggle}>
        {shown ? <CaptionsIcon aria-hidden /> : <CaptionsOff aria-hidden />}
      </Control>
    </>
  );
}

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
        className="hidden w-20 accent-accent sm:block pointer-coarse:hidden"
      />
    </span>
  );
}

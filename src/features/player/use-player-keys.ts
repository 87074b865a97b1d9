import type { RefObject } from 'react';
import { useKeys } from '../../lib/use-keys.ts';
import { togglePictureInPicture } from './picture-in-picture.ts';
import type { Mark } from './scrubber.tsx';
import { frameBeside, frameSeconds } from './span.ts';
import type { ClipState } from './use-clip.ts';

type KeyOptions = {
  marks: readonly Mark[];
  /** Whether the clip is one of a list, which has keys of its own. */
  isListed: boolean;
  /** Whether the arrow keys go through the clip; otherwise they go through a list. */
  arrowsSeek: boolean;
  /** Frames a second, where known. */
  frameRate: number | undefined;
  toggleFullscreen: () => void;
  /** Null where there are none. */
  toggleCaptions: (() => void) | null;
  /** What the keys belong to. */
  place: RefObject<HTMLElement | null>;
};

/** The keys of a player. */
export function usePlayerKeys(state: ClipState, options: KeyOptions): void {
  const { marks, isListed, arrowsSeek, toggleFullscreen, toggleCaptions, place } = options;
  const { speed, setSpeed, seek, seekBy } = state;
  const jumpTo = (mark: Mark | undefined) => mark && seek(mark.start);
  useKeys(
    {
      ' ': state.toggle,
      k: () => {
        state.pause();
        setSpeed(Math.min(1, speed));
      },
      l: () => {
        if (isPaused(state)) state.play();
        else setSpeed(speed < 1 ? 1 : 2);
      },
      j: () => playBackwards(state),
      ',': () => stepFrame(state, -1, options.frameRate),
      '.': () => stepFrame(state, 1, options.frameRate),
      'Shift+ArrowLeft': () => seekBy(-5),
      'Shift+ArrowRight': () => seekBy(5),
      m: state.sound.toggle,
      f: toggleFullscreen,
      p: () => togglePictureInPicture(state.video.current),
      r: () => state.chooseAtEnd('loop'),
      ...(toggleCaptions ? { c: toggleCaptions } : {}),
      ...(isListed
        ? { a: () => state.chooseAtEnd('next') }
        : {
            n: () => jumpTo(marks.find(({ start }) => start > timeOf(state) + 0.05)),
            // Where one has just begun the one before it is meant.
            'Shift+n': () => jumpTo(marks.findLast(({ start }) => start < timeOf(state) - 0.5)),
          }),
      ...(arrowsSeek ? { ArrowLeft: () => seekBy(-5), ArrowRight: () => seekBy(5) } : {}),
    },
    place,
  );
}

/** As the video itself is: its events come later than the next key of a fast typist. */
const isPaused = ({ video }: ClipState): boolean => video.current?.paused ?? true;

/** Seconds: of the frame that is shown, or that the video goes to. Frames of before are still shown meanwhile. */
const timeOf = ({ video, time }: ClipState): number =>
  video.current?.seeking === true ? video.current.currentTime : time;

/** Slower, then backwards, then faster backwards. */
function playBackwards(state: ClipState): void {
  const { video, speed, setSpeed, reverse, setReverse } = state;
  if (!isPaused(state) && speed > 1) {
    setSpeed(1);
    return;
  }
  video.current?.pause();
  setReverse(Math.min(2, reverse + 1));
}

function stepFrame(state: ClipState, direction: 1 | -1, frameRate: number | undefined): void {
  state.video.current?.pause();
  if (frameRate) state.seek(frameBeside(timeOf(state), direction, frameRate));
  else state.seekBy(direction * frameSeconds);
}

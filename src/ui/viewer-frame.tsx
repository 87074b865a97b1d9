import { clsx } from 'clsx';
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react';
import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { useFullscreen, useIdle } from '../lib/fullscreen.ts';
import { type Stage, StageContext } from '../lib/stage.ts';
import { useKeys } from '../lib/use-keys.ts';
import { Button } from './button.tsx';

/** The ways through a list: null at its ends. The names of what is before and behind are those of its buttons. */
export type Ways = {
  previous: { label: string; go: () => void } | null;
  next: { label: string; go: () => void } | null;
};

type ViewerFrameProps = {
  /** Whether there is a list; its ends have buttons that do nothing. */
  ways: (Ways & { names: { previous: string; next: string } }) | null;
  onClose: () => void;
  beside?: Stage['beside'];
  transitionName?: string;
  /** Whether pictures follow by themselves: then the bars hide. `onFinished` is told the end of a video. */
  slideshow?: { onFinished: () => void; onInput: () => void } | null;
  bar: ReactNode;
  /** What stands below the picture. */
  foot?: ReactNode;
  /** What is known of the picture: beside it, or on a small screen below it. */
  drawer?: ReactNode;
  /** The picture or the player, which fills its place. */
  children: ReactNode;
};

const nothing: Stage['beside'] = { previous: null, next: null };

/**
 * A picture or a video over the whole window, dark in either theme, with bars that hide. Arrow keys and swipes go through the list, F fills
 * the screen, Escape closes.
 */
export function ViewerFrame({ ways, onClose, beside = nothing, slideshow = null, ...props }: ViewerFrameProps) {
  const root = useRef<HTMLDivElement>(null);
  const { isBare, isFull, wake, toggleBars, setPlaying } = useBars(slideshow !== null);
  const [previous, next] = [ways?.previous?.go ?? null, ways?.next?.go ?? null];
  useFrameKeys(root, { previous, next, onClose, arrows: ways !== null });
  const stage: Stage = {
    onPrevious: previous,
    onNext: next,
    onClose,
    beside,
    arrowsPage: ways !== null,
    isBare,
    onTap: toggleBars,
    onPlaying: setPlaying,
    transitionName: props.transitionName,
    onFinished: slideshow?.onFinished ?? null,
  };
  const onPointerMove = ({ pointerType }: PointerEvent) => {
    // A finger shows the bars by a tap.
    if (pointerType === 'mouse') wake();
  };
  const withDrawer = isFull || slideshow ? null : props.drawer;
  return (
    <StageContext value={stage}>
      <div
        ref={root}
        data-viewer
        role="presentation"
        className={clsx(
          'dark relative flex size-full flex-col overflow-hidden bg-black text-ink lg:flex-row',
          isBare && 'cursor-none',
        )}
        onPointerMove={onPointerMove}
        onKeyDown={wake}
        onPointerDownCapture={slideshow?.onInput}
      >
        <div className="relative flex min-h-0 min-w-0 flex-1 flex-col">
          <div
            className={clsx(
              'absolute inset-x-0 top-0 z-20 bg-linear-to-b from-black/85 via-black/55 to-transparent pb-4 transition-opacity duration-calm',
              isBare &&
                'pointer-events-none opacity-0 has-[:focus-visible]:pointer-events-auto has-[:focus-visible]:opacity-100',
            )}
          >
            {props.bar}
          </div>
          <div className="relative min-h-0 flex-1">
            {/* Below the bar, which covers nothing of the picture as long as it can be there. */}
            <div className={clsx('absolute inset-x-0 bottom-0', isFull || slideshow ? 'top-0' : 'top-14')}>
              {props.children}
            </div>
            {ways ? <SideButtons ways={ways} isHidden={isBare} /> : null}
          </div>
          {isFull || slideshow ? null : props.foot}
        </div>
        {withDrawer}
      </div>
    </StageContext>
  );
}

/** Whether the bars are hidden: by a tap, or because nothing moves while something plays or fills the screen. */
function useBars(isShowing: boolean) {
  const [isFull] = useFullscreen();
  const [isHidden, setHidden] = useState(false);
  const [playing, setPlaying] = useState(false);
  const [isIdle, wakeUp] = useIdle(playing || isFull || isShowing);
  const isBare = isHidden || isIdle;
  const wake = () => {
    setHidden(false);
    wakeUp();
  };
  return { isBare, isFull, wake, setPlaying, toggleBars: () => (isBare ? wake() : setHidden(true)) };
}

type FrameKeys = { previous: (() => void) | null; next: (() => void) | null; onClose: () => void; arrows: boolean };

function useFrameKeys(
  root: React.RefObject<HTMLDivElement | null>,
  { previous, next, onClose, arrows }: FrameKeys,
): void {
  const [isFull, toggleFullscreen] = useFullscreen();
  const goBack = () => previous?.();
  const goOn = () => next?.();
  useKeys(
    {
      '[': goBack,
      ']': goOn,
      ...(arrows ? { ArrowLeft: goBack, ArrowRight: goOn } : {}),
      f: toggleFullscreen,
      Escape: isFull ? toggleFullscreen : onClose,
    },
    root,
  );
}

/** The ways to the neighbours at the sides of the picture, for the mouse; fingers swipe, and keys have arrows. */
const SideButtons = ({
  ways: { previous, next, names },
  isHidden,
}: {
  ways: NonNullable<ViewerFrameProps['ways']>;
  isHidden: boolean;
}) => (
  <nav
    aria-label="Items of the list"
    className={clsx('transition-opacity duration-calm', isHidden && 'opacity-0 has-[:focus-visible]:opacity-100')}
  >
    <SideButton side="left-2" icon={ChevronLeft} label={names.previous} onClick={previous?.go ?? null} />
    <SideButton side="right-2" icon={ChevronRight} label={names.next} onClick={next?.go ?? null} />
  </nav>
);

const SideButton = ({
  side,
  icon: Icon,
  label,
  onClick,
}: {
  side: string;
  icon: LucideIcon;
  label: string;
  onClick: (() => void) | null;
}) => (
  <Button
    variant="quiet"
    size="icon"
    aria-label={label}
    title={label}
    disabled={!onClick}
    onClick={() => onClick?.()}
    className={clsx(
      'absolute! top-1/2 z-10 size-11! -translate-y-1/2 rounded-full! bg-black/45 text-white hover:bg-black/75 disabled:opacity-0 max-sm:sr-only pointer-coarse:sr-only',
      side,
    )}
  >
    <Icon aria-hidden className="size-6!" />
  </Button>
);

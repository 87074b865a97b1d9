import { clsx } from 'clsx';
import { ScanSearch } from 'lucide-react';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  memo,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
} from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import type { BoxedText } from '../../lib/found-text.ts';
import { formatTimecode, toMoment } from '../../lib/timecode.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { togglePictureInPicture } from './picture-in-picture.ts';
import { PlayerControls } from './player-controls.tsx';
import { type Mark, Scrubber } from './scrubber.tsx';
import { SpanVideo } from './span-video.tsx';
import type { Span } from './span.ts';
import { textsAt } from './text-frames.tsx';
import { type Captions, useCaptions } from './use-captions.ts';
import { type ClipState, useClip } from './use-clip.ts';
import { useFullscreen, useIdle } from './use-fullscreen.ts';
import { useMediaSession } from './use-media-session.ts';
import { usePlayerKeys } from './use-player-keys.ts';

/** What a page can do with its player. */
export type PlayerHandle = {
  /** Goes to a time, seconds; playing goes on where it was playing. */
  seek: (time: number) => void;
  /** Plays from a time on, seconds. */
  playFrom: (time: number) => void;
  /** Scrolls the page until the picture can be seen. */
  bringIntoView: () => void;
};

type SpanPlayerProps = {
  /** `id`: differs between any two clips. `start` and `end`: its span of the video, seconds. */
  clip: Span & { id: string; url: string; poster: string; title: string };
  /** The item that it is part of, whose captions are shown. */
  mediaId: string;
  ref?: Ref<PlayerHandle>;
  /** Seconds, where the clip begins; the start of its span where none is given. */
  begin?: number | undefined;
  /** Starts by itself, silently unless the user asked for sound. */
  autoplay?: boolean;
  /** Scenes of the span to jump to. */
  chunks?: readonly Chunk[];
  /** What answers a query in the span, in order of time. */
  marks?: readonly Mark[];
  /** Texts in the picture that are framed when they are shown. */
  texts?: readonly BoxedText[];
  /** What lies over the picture, and what stands on the timeline at its times. */
  overlay?: ReactNode;
  onTimeline?: ReactNode;
  /** Frames a second, where known. */
  frameRate?: number | undefined;
  /** Opens the next clip of a list; null at its end, undefined where there is no list. */
  onNext?: (() => void) | null;
  /** Called with the time of each frame that is shown, seconds. */
  onTime?: (time: number) => void;
  /** Called with the moment, seconds, at which the user paused or to which the user went. */
  onMoment?: (time: number) => void;
  /** Searches for what is similar to the moment that is shown. */
  onFindSimilar?: (time: number) => void;
  /** The path of a page that begins at a moment, seconds. */
  linkTo: (time: number) => string;
  /** Asks for a new URL of the video: they expire. */
  onReload: () => Promise<string | undefined>;
};

const noChunks: readonly Chunk[] = [];
const noMarks: readonly Mark[] = [];
const noTexts: readonly BoxedText[] = [];

/**
 * Plays a span of a video, by keys as editors know them: Space and K, J and L, comma and full stop, M, F and more, which the list of
 * shortcuts names. What fills the screen stays while the clip in it changes.
 */
export function SpanPlayer({ clip, ...props }: SpanPlayerProps) {
  const stage = useRef<HTMLDivElement>(null);
  return (
    <div ref={stage} className="bg-surface">
      <Clip key={clip.id} clip={clip} stage={stage} {...props} />
    </div>
  );
}

function Clip({ clip, stage, ...props }: SpanPlayerProps & { stage: RefObject<HTMLDivElement | null> }) {
  const { chunks = noChunks, marks = noMarks, texts = noTexts, begin = clip.start, autoplay = false } = props;
  const { frameRate, onNext } = props;
  const span = { start: clip.start, end: clip.end };
  const state = useClip(span, clip.url, { ...props, begin, autoplay });
  const { time, video, playing, reverse, seek } = state;
  const [isFull, toggleFullscreen] = useFullscreen(stage, video);
  const [isIdle, wake] = useIdle(isFull && playing);
  useHandle(props.ref, state);
  useMediaSession(clip, { play: state.play, pause: state.pause, seekBy: state.seekBy, onNext: onNext ?? null });
  const captions = useCaptions(props.mediaId, video, time);
  useTime(time, props.onTime);
  const isListed = onNext !== undefined;
  const toggleCaptions = captions.toggle;
  usePlayerKeys(state, { stage, marks, frameRate, isListed, isFull, toggleFullscreen, toggleCaptions });
  return (
    <div
      role="presentation"
      className={clsx(isFull && 'relative h-dvh bg-black', isIdle && 'cursor-none')}
      onPointerMove={isFull ? wake : undefined}
      onKeyDown={isFull ? wake : undefined}
    >
      <SpanVideo
        ref={video}
        source={state.loaded}
        poster={clip.poster}
        isFull={isFull}
        idle={!state.started}
        texts={textsAt(texts, time)}
        overlay={props.overlay}
        captions={<CaptionLines captions={captions} isFull={isFull} raised={isFull && !isIdle} />}
        onToggle={state.toggle}
        onFullscreen={toggleFullscreen}
        onPlaying={state.setPlaying}
        onRetry={state.reload}
        onBroken={state.recover}
      />
      <Foot isFull={isFull} isIdle={isIdle}>
        <Scrubber span={span} time={time} chunks={chunks} marks={marks} onSeek={seek} onSeekBy={state.seekBy}>
          {props.onTimeline}
        </Scrubber>
        <PlayerControls
          state={state}
          end={clip.end}
          playing={playing || reverse > 0}
          hasNext={isListed}
          captions={captions}
          isFull={isFull}
          onFullscreen={toggleFullscreen}
          onPictureInPicture={document.pictureInPictureEnabled ? () => togglePictureInPicture(video.current) : null}
        />
      </Foot>
      {isFull ? null : (
        <MomentActions time={time} frameRate={frameRate} linkTo={props.linkTo} onFindSimilar={props.onFindSimilar} />
      )}
      {isFull || chunks.length < 2 ? null : <ChunkTimeline chunks={chunks} time={time} onJump={seek} />}
    </div>
  );
}

/** What lies below the picture, or in a full screen over its foot, until the pointer rests. */
const Foot = ({ isFull, isIdle, children }: { isFull: boolean; isIdle: boolean; children: ReactNode }) => (
  <div
    className={clsx(
      'px-2 pt-1.5 pb-1',
      isFull ? 'absolute inset-x-0 bottom-0 bg-surface/95 transition-opacity' : 'border-t border-line',
      isIdle && 'opacity-0',
    )}
  >
    {children}
  </div>
);

function useTime(time: number, onTime: SpanPlayerProps['onTime']): void {
  const tell = useEffectEvent((now: number) => onTime?.(now));
  useEffect(() => tell(time), [time]);
}

function useHandle(ref: Ref<PlayerHandle> | undefined, { video, seek, play }: ClipState): void {
  useImperativeHandle(ref, () => ({
    seek,
    playFrom(time) {
      seek(time);
      play();
    },
    bringIntoView: () => video.current?.scrollIntoView({ block: 'nearest' }),
  }));
}

/** What is said at the moment, over the picture: light on dark, whatever lies below. In a full screen it stands above the controls. */
const CaptionLines = ({
  captions: { lines, language },
  isFull,
  raised,
}: {
  captions: Captions;
  isFull: boolean;
  /** Whether controls lie over the foot of the picture. */
  raised: boolean;
}) =>
  lines.length === 0 ? null : (
    <div
      data-captions
      lang={language ?? undefined}
      className={clsx(
        // As a whole, so that the grounds of two lines that overlap are no darker there.
        'pointer-events-none absolute inset-x-0 flex flex-col items-center gap-1 px-3 text-center opacity-90 transition-[bottom] contrast-more:opacity-100',
        raised ? 'bottom-48 sm:bottom-28' : 'bottom-3',
        isFull ? 'text-[clamp(1.125rem,2.6vw,2.5rem)]' : 'text-[clamp(0.9375rem,1.6vw,1.25rem)]',
      )}
    >
      {lines.map((line) => (
        <p
          key={line}
          dir="auto"
          className="max-w-[min(60rem,100%)] leading-snug font-medium whitespace-pre-line text-white"
        >
          <span className="rounded-sm bg-black box-decoration-clone px-1.5 py-0.5 wrap-anywhere forced-colors:bg-[Canvas] forced-colors:text-[CanvasText]">
            {line}
          </span>
        </p>
      ))}
    </div>
  );

/** Scrolls the timeline, not the page, until the chunk stands in its middle. */
function keepInView(element: HTMLElement | null): void {
  const list = element?.closest('ol');
  if (!element || !list) return;
  const { left, width } = element.getBoundingClientRect();
  const bounds = list.getBoundingClientRect();
  list.scrollBy({ left: left + width / 2 - bounds.left - bounds.width / 2 });
}

type ChunkTimelineProps = {
  chunks: readonly Chunk[];
  /** Seconds, where the player is. */
  time: number;
  onJump: (seconds: number) => void;
};

/** The chunks of a video side by side, in order of time; the one that plays is marked and kept in view. */
const ChunkTimeline = ({ chunks, time, onJump }: ChunkTimelineProps) => (
  <ChunkList chunks={chunks} current={chunks.findLast(({ start }) => start <= time + 0.02)?.id} onJump={onJump} />
);

/** Apart from the time, which changes with each frame: a film has thousands of chunks. */
const ChunkList = memo(function ChunkList({
  chunks,
  current,
  onJump,
}: Omit<ChunkTimelineProps, 'time'> & { current: string | undefined }) {
  return (
    <ol aria-label="Timeline" className="relative flex gap-1.5 overflow-x-auto border-t border-line p-2.5">
      {chunks.map((chunk) => (
        <li key={chunk.id} className="shrink-0">
          <button
            ref={chunk.id === current ? keepInView : undefined}
            type="button"
            aria-label={`Go to ${formatTime(chunk.start, true)}${chunk.text ? `: ${chunk.text}` : ''}`}
            aria-current={chunk.id === current ? 'time' : undefined}
            title={chunk.text ?? undefined}
            onClick={() => onJump(chunk.start)}
            className={clsx(
              'relative block w-28 overflow-hidden rounded-md border-2',
              chunk.id === current ? 'border-accent' : 'border-transparent hover:border-line',
            )}
          >
            <img src={chunk.thumbnail} alt="" loading="lazy" className="aspect-video w-full bg-raised object-cover" />
            <span className="absolute right-1 bottom-1 rounded bg-black/70 px-1 text-xs text-white tabular-nums">
              {formatTime(chunk.start)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
});

/** What can be done with the moment that is shown. */
const MomentActions = ({
  time,
  frameRate,
  linkTo,
  onFindSimilar,
}: {
  /** Seconds. */
  time: number;
  frameRate: number | undefined;
  /** The path of a page that begins at a moment, seconds. */
  linkTo: (time: number) => string;
  onFindSimilar: ((time: number) => void) | undefined;
}) => (
  <div className="flex flex-wrap items-center gap-x-1 border-t border-line px-1.5 py-1 max-sm:[&_button]:h-11 pointer-coarse:[&_button]:h-11">
    {onFindSimilar ? (
      <Button variant="quiet" onClick={() => onFindSimilar(time)} aria-label="Find similar to this moment">
        <ScanSearch aria-hidden />
        <span className="max-sm:hidden">Find similar</span>
      </Button>
    ) : null}
    <CopyButton label="Copy link to this moment" text={window.location.origin + linkTo(toMoment(time))}>
      Copy link
    </CopyButton>
    <CopyButton label="Copy timecode" text={formatTimecode(time, frameRate)}>
      Copy timecode
    </CopyButton>
  </div>
);

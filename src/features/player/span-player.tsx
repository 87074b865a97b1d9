import { clsx } from 'clsx';
import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
} from 'react';
import type { Chunk, MediaItem } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import type { BoxedText } from '../../lib/found-text.ts';
import { useFullscreen } from '../../lib/fullscreen.ts';
import { useStage } from '../../lib/stage.ts';
import { PlayerControls } from './player-controls.tsx';
import { type Mark, Scrubber } from './scrubber.tsx';
import { SpanVideo } from './span-video.tsx';
import type { Span } from './span.ts';
import { textsAt } from './text-frames.tsx';
import { type Captions, useCaptions } from './use-captions.ts';
import { type ClipState, useClip } from './use-clip.ts';
import { useMediaSession } from './use-media-session.ts';
import { usePlayerKeys } from './use-player-keys.ts';

const SoundStage = lazyPart(async () => (await import('./sound-stage.tsx')).SoundStage);

const LazySound = (props: ComponentProps<typeof SoundStage>) => (
  <Suspense>
    <SoundStage {...props} />
  </Suspense>
);

/** What a page can do with its player. */
export type PlayerHandle = {
  /** Goes to a time, seconds; playing goes on where it was playing. */
  seek: (time: number) => void;
  /** Plays from a time on, seconds. */
  playFrom: (time: number) => void;
};

type SpanPlayerProps = {
  /** `id`: differs between any two clips. `start` and `end`: its span of the video, seconds. */
  clip: Span & { id: string; type: MediaItem['type']; url: string; poster: string; title: string };
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
 * shortcuts names. It fills its place; its controls lie over the foot of the picture, and hide while it plays and the pointer rests.
 */
export function SpanPlayer({ clip, ...props }: SpanPlayerProps) {
  const place = useRef<HTMLDivElement>(null);
  return (
    <div ref={place} className="absolute inset-0 overflow-hidden bg-black">
      <Clip key={clip.id} clip={clip} place={place} {...props} />
    </div>
  );
}

function Clip({ clip, place, ...props }: SpanPlayerProps & { place: RefObject<HTMLDivElement | null> }) {
  const { chunks = noChunks, marks = noMarks, texts = noTexts, begin = clip.start, autoplay = false } = props;
  const { frameRate, onNext } = props;
  const span = { start: clip.start, end: clip.end };
  const { isBare, arrowsPage, onPlaying, onFinished } = useStage();
  const state = useClip(span, clip.url, { ...props, begin, autoplay, onFinished });
  const { time, video, playing, reverse, seek } = state;
  const [isFull, toggleFullscreen] = useFullscreen(video);
  useHandle(props.ref, state);
  useTold(playing, onPlaying);
  useMediaSession(clip, { play: state.play, pause: state.pause, seekBy: state.seekBy, onNext: onNext ?? null });
  const captions = useCaptions(props.mediaId, video, time);
  useTold(time, props.onTime);
  const isListed = onNext !== undefined;
  const arrowsSeek = isFull || !arrowsPage;
  const toggleCaptions = captions.toggle;
  const sound = <LazySound mediaId={props.mediaId} poster={clip.poster} span={span} time={time} onSeek={seek} />;
  usePlayerKeys(state, { place, marks, frameRate, isListed, arrowsSeek, toggleFullscreen, toggleCaptions });
  return (
    <>
      <SpanVideo
        ref={video}
        source={state.loaded}
        poster={clip.poster}
        idle={!state.started}
        texts={textsAt(texts, time)}
        overlay={clip.type === 'audio' ? sound : props.overlay}
        captions={<CaptionLines captions={captions} raised={!isBare} />}
        onToggle={state.toggle}
        onFullscreen={toggleFullscreen}
        onPlaying={state.setPlaying}
        onRetry={state.reload}
        onBroken={state.recover}
      />
      <Foot isHidden={isBare}>
        <Scrubber span={span} time={time} chunks={chunks} marks={marks} onSeek={seek} onSeekBy={state.seekBy}>
          {props.onTimeline}
        </Scrubber>
        <PlayerControls
          state={state}
          end={clip.end}
          playing={playing || reverse > 0}
          hasNext={isListed}
          captions={captions}
          moment={{
            hasPictures: clip.type !== 'audio',
            frameRate,
            linkTo: props.linkTo,
            onFindSimilar: props.onFindSimilar,
          }}
          isFull={isFull}
          onFullscreen={toggleFullscreen}
        />
      </Foot>
    </>
  );
}

/** The controls, over the foot of the picture. The focus shows them, wherever the pointer is. */
const Foot = ({ isHidden, children }: { isHidden: boolean; children: ReactNode }) => (
  <div
    className={clsx(
      'absolute inset-x-0 bottom-0 z-10 bg-linear-to-t from-black/90 via-black/70 to-transparent px-2 pt-8 pb-1.5 transition-opacity duration-calm sm:px-4',
      isHidden &&
        'pointer-events-none opacity-0 has-[:focus-visible]:pointer-events-auto has-[:focus-visible]:opacity-100',
    )}
  >
    {children}
  </div>
);

/** Tells each value. */
function useTold<Value>(value: Value, onChange: ((value: Value) => void) | undefined): void {
  const tell = useEffectEvent((now: Value) => onChange?.(now));
  useEffect(() => tell(value), [value]);
}

function useHandle(ref: Ref<PlayerHandle> | undefined, { seek, play }: ClipState): void {
  useImperativeHandle(ref, () => ({
    seek,
    playFrom(time) {
      seek(time);
      play();
    },
  }));
}

/** What is said at the moment, over the picture: light on dark, whatever lies below. It stands above the controls. */
const CaptionLines = ({
  captions: { lines, language },
  raised,
}: {
  captions: Captions;
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
        raised ? 'bottom-28' : 'bottom-4',
        'text-[clamp(1rem,2vw,1.75rem)]',
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

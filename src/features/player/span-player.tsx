import { clsx } from 'clsx';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
} from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import type { BoxedText } from '../../lib/found-text.ts';
import { CaptionLines } from './captions.tsx';
import { ChunkTimeline } from './chunk-timeline.tsx';
import { MomentActions } from './moment-actions.tsx';
import { togglePictureInPicture } from './picture-in-picture.ts';
import { PlayerControls } from './player-controls.tsx';
import { type Mark, Scrubber } from './scrubber.tsx';
import { SpanVideo } from './span-video.tsx';
import type { Span } from './span.ts';
import { textsAt } from './text-frames.tsx';
import { useCaptions } from './use-captions.ts';
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
  /** Starts by itself, silently unless somebody asked for sound. */
  autoplay?: boolean;
  /** Scenes of the span to jump to. */
  chunks?: readonly Chunk[];
  /** What answers a query in the span, in order of time. */
  marks?: readonly Mark[];
  /** Texts in the picture that are framed when they are shown. */
  texts?: readonly BoxedText[];
  /** Frames a second, where known. */
  frameRate?: number | undefined;
  /** Opens the next clip of a list; null at its end, undefined where there is no list. */
  onNext?: (() => void) | null;
  /** Called with the time of each frame that is shown, seconds. */
  onTime?: (time: number) => void;
  /** Called with the moment, seconds, at which somebody paused or to which somebody went. */
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
        captions={<CaptionLines captions={captions} isFull={isFull} raised={isFull && !isIdle} />}
        onToggle={state.toggle}
        onFullscreen={toggleFullscreen}
        onPlaying={state.setPlaying}
        onRetry={state.reload}
        onBroken={state.recover}
      />
      <Foot isFull={isFull} isIdle={isIdle}>
        <Scrubber span={span} time={time} chunks={chunks} marks={marks} onSeek={seek} onSeekBy={state.seekBy} />
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

/** What lies below the picture, or in a full screen over its foot, until nobody moves. */
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

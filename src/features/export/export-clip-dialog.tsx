import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { ExportFormat } from '../../api/exports.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { formatBytes, formatTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ClosableDialog } from '../../ui/closable-dialog.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { type ClipSpan, maxAnimationSeconds, maxClipSeconds, moveEnd } from './clip-span.ts';
import { ExportStatus } from './export-status.tsx';
import { SpanFields } from './span-fields.tsx';
import { useExport } from './use-export.ts';

export type ClipToExport = { mediaId: string; type: MediaItem['type']; start: number; end: number };

type Format = Extract<ExportFormat, 'mp4' | 'gif' | 'webp' | 'jpeg' | 'png'>;

type Formats = { value: Format; text: string; title: string }[];

const videoFormats: Formats = [
  { value: 'mp4', text: 'MP4', title: 'The exact clip with sound' },
  { value: 'gif', text: 'GIF', title: 'Animated, without sound' },
  { value: 'webp', text: 'WebP', title: 'Animated, without sound, smaller than GIF' },
  { value: 'jpeg', text: 'Still', title: 'The first frame in full size' },
];
/** A recording has no pictures. */
const audioFormats: Formats = [{ value: 'mp4', text: 'M4A', title: 'The sound of the clip' }];
const imageFormats: Formats = [
  { value: 'jpeg', text: 'JPEG', title: 'For everything' },
  { value: 'png', text: 'PNG', title: 'Lossless' },
  { value: 'webp', text: 'WebP', title: 'Small' },
];
const formats = { video: videoFormats, audio: audioFormats, image: imageFormats };

type More = ((span: ClipSpan) => ReactNode) | undefined;

/** Chooses format and span of a clip, and exports it. Keys: I and O set the ends, Space plays, comma and full stop go by frames. */
export function ExportClipDialog({
  clip,
  renderMore,
  onClose,
}: {
  clip: ClipToExport;
  renderMore: More;
  onClose: () => void;
}) {
  const item = useQuery(mediaItemOptions(clip.mediaId));
  return (
    // The keys of the page below are not meant, nor those of its player.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it only keeps keys from what lies below
    <div onKeyDown={keepKeys}>
      <ClosableDialog
        wide
        title={clip.type === 'image' ? 'Export photo' : 'Export clip'}
        description={item.data?.filename}
        onClose={onClose}
      >
        {item.isError ? <QueryFailure error={item.error} onRetry={() => void item.refetch()} /> : null}
        {item.isPending ? (
          <div className="mt-4 aspect-video animate-pulse rounded-control bg-raised" aria-busy="true" />
        ) : null}
        {item.data ? (
          item.data.type === 'image' ? (
            <PhotoForm item={item.data} />
          ) : (
            <ClipForm item={item.data} initial={clip} renderMore={renderMore} />
          )
        ) : null}
      </ClosableDialog>
    </div>
  );
}

function keepKeys(event: KeyboardEvent): void {
  if (event.key === 'Escape' || event.key === 'Tab') return;
  event.stopPropagation();
  event.nativeEvent.stopPropagation();
}

function ClipForm({ item, initial, renderMore }: { item: MediaItem; initial: ClipSpan; renderMore: More }) {
  const [format, setFormat] = useState<Format>('mp4');
  const [span, setSpan] = useState<ClipSpan>({ start: initial.start, end: initial.end });
  const video = useRef<HTMLVideoElement>(null);
  const { state, start, cancel } = useExport();
  const duration = item.duration ?? 0;
  const frame = 1 / (item.details?.video?.frame_rate || 25);
  const move = (which: 'start' | 'end', time: number) => {
    const next = moveEnd(span, which, time, { duration, frame });
    setSpan(next);
    // Shows what the end is: the first frame, or the last one.
    if (video.current) video.current.currentTime = which === 'start' ? next.start + frame / 2 : next.end - frame / 2;
  };
  const setHere = (which: 'start' | 'end') => {
    const time = video.current?.currentTime ?? 0;
    // The frame that is shown is the first, or the last one.
    const begin = Math.floor(time / frame + 0.01) * frame;
    setSpan(moveEnd(span, which, which === 'start' ? begin : begin + frame, { duration, frame }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = video.current ? previewKeys(video.current, frame, setHere)[event.key.toLowerCase()] : undefined;
    if (!action || event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    action();
  };
  const isStill = format === 'jpeg';
  const problem = isStill ? undefined : findProblem(format, span);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of all that is in it
    <div className="mt-4 grid gap-4" onKeyDown={onKeyDown}>
      <PreviewVideo ref={video} item={item} span={span} frame={frame} />
      <SpanFields span={span} frame={frame} onMove={move} onSetHere={setHere} isStill={isStill} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Choice label="Format" value={format} options={formats[item.type]} onChange={(to) => setFormat(to ?? 'mp4')} />
        <p className={problem === undefined ? 'text-xs text-quiet' : 'text-xs text-danger'} aria-live="polite">
          {problem ?? describe(format, span, item)}
        </p>
      </div>
      <footer className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={problem !== undefined || state.status === 'processing'}
          onClick={() =>
            start({
              format,
              moments: [{ media_id: item.id, start: span.start, ...(isStill ? {} : { end: span.end }) }],
            })
          }
        >
          <Download aria-hidden />
          Export
        </Button>
        {renderMore?.(span)}
        <div className="min-w-48 flex-1">
          <ExportStatus state={state} onCancel={cancel} />
        </div>
      </footer>
    </div>
  );
}

/** What keys do to the preview. */
function previewKeys(video: HTMLVideoElement, frame: number, setHere: (which: 'start' | 'end') => void) {
  const step = (by: number) => {
    video.pause();
    video.currentTime = Math.max(0, video.currentTime + by);
  };
  const keys: Record<string, () => void> = {
    i: () => setHere('start'),
    o: () => setHere('end'),
    ' ': () => (video.paused ? void video.play() : video.pause()),
    ',': () => step(-frame),
    '.': () => step(frame),
  };
  return keys;
}

function findProblem(format: Format, { start, end }: ClipSpan): string | undefined {
  const most = format === 'mp4' ? undefined : maxAnimationSeconds;
  if (most === undefined || end - start <= most + 0.001) return undefined;
  return `An animation may last ${most} seconds. Move its end.`;
}

/** What will come of it. Whether an MP4 is cut without loss is known only when it is cut. */
function describe(format: Format, { start, end }: ClipSpan, { size, duration, width, height }: MediaItem): string {
  const seconds = end - start;
  if (format === 'jpeg') return `The frame at the start · ${width ?? '?'} × ${height ?? '?'}`;
  if (format !== 'mp4') return `${formatTime(seconds, true)} · at most 480 pixels, no sound`;
  const bytes = duration ? (size * seconds) / duration : 0;
  const way =
    seconds > maxClipSeconds ? 'only if it can be cut without loss' : 'lossless where the cut allows, else re-encoded';
  return `${formatTime(seconds, true)} · about ${formatBytes(Math.max(1, Math.round(bytes)))} · ${way}`;
}

function PhotoForm({ item }: { item: MediaItem }) {
  const [format, setFormat] = useState<Format>('jpeg');
  const { state, start, cancel } = useExport();
  return (
    <div className="mt-4 grid gap-4">
      <Choice label="Format" value={format} options={imageFormats} onChange={(value) => setFormat(value ?? 'jpeg')} />
      <footer className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          disabled={state.status === 'processing'}
          onClick={() => start({ format, media_ids: [item.id] })}
        >
          <Download aria-hidden />
          Export
        </Button>
        <div className="min-w-48 flex-1">
          <ExportStatus state={state} onCancel={cancel} />
        </div>
      </footer>
    </div>
  );
}

/** Plays the span of a clip over and over. */
function PreviewVideo({
  ref,
  item,
  span,
  frame,
}: {
  ref: Ref<HTMLVideoElement | null>;
  item: MediaItem;
  span: ClipSpan;
  /** How long a frame is shown, seconds. */
  frame: number;
}) {
  const video = useRef<HTMLVideoElement>(null);
  useImperativeHandle<HTMLVideoElement | null, HTMLVideoElement | null>(ref, () => video.current);
  useEffect(() => {
    const element = video.current;
    if (!element) return undefined;
    const onTime = () => {
      if (!element.paused && element.currentTime >= span.end) element.currentTime = span.start;
    };
    element.addEventListener('timeupdate', onTime);
    return () => element.removeEventListener('timeupdate', onTime);
  }, [span]);
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- the player of the item has what is said
    <video
      ref={video}
      src={item.url ?? undefined}
      poster={item.thumbnail ?? undefined}
      controls
      playsInline
      preload="metadata"
      aria-label="Preview of the clip"
      onLoadedMetadata={({ currentTarget }) => (currentTarget.currentTime = span.start + frame / 2)}
      className="max-h-[45dvh] w-full rounded-control bg-black"
    />
  );
}

import { clsx } from 'clsx';
import { Minimize2, ZoomIn, ZoomOut } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { formatPercent } from '../../lib/format.ts';
import type { BoxedText } from '../../lib/found-text.ts';
import { useStage } from '../../lib/stage.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Beside } from './beside.tsx';
import { TextFrames } from './text-frames.tsx';
import { useGestures } from './use-gestures.ts';
import { useZoom } from './use-zoom.ts';
import { fitSize, realZoom, type Size } from './zoom-view.ts';

/** The factor of one step by button or key. */
const zoomStep = 1.5;

const noTexts: readonly BoxedText[] = [];

/** A photograph as the service has it. */
export type Photograph = {
  name: string;
  /** All of its pixels. */
  url: string;
  /** A smaller picture, shown before the original is needed; null where the original is small. */
  preview: (Size & { url: string }) | null;
  /** What lists show, which the browser has already. */
  thumbnail: string | null;
  /** Null where it is known only once the picture is loaded. */
  size: Size | null;
};

type PhotoStageProps = {
  photo: Photograph;
  /** Texts in it that are framed for some seconds. */
  texts?: readonly BoxedText[];
  /** How often the user asked where they are: each time the frames are drawn again, and the first text comes into view. */
  asked?: number;
  /** What else lies over it, and grows with it. */
  overlay?: ReactNode;
};

/**
 * A photograph that fills its place. Its thumbnail is there at once, in the same place and size. The wheel, pinching, plus and minus zoom to
 * real pixels and twice that; a double click shows real pixels and all of it in turn; dragging pans; swipes lead to the neighbours.
 */
export function PhotoStage({ photo, texts = noTexts, asked = 0, overlay }: PhotoStageProps) {
  const place = useRef<HTMLDivElement>(null);
  const { isBare, transitionName } = useStage();
  const room = useElementSize(place);
  const [loaded, setLoaded] = useState<Size | null>(null);
  const size = photo.size ?? loaded;
  const density = window.devicePixelRatio;
  const fit = size && room.width > 0 ? fitSize(size, room) : { width: 0, height: 0 };
  const real = size ? realZoom(size, fit, density) : 1;
  const zoom = useZoom(place, fit, room, real);
  const { offset, settling, handlers } = useGestures(zoom);
  const { view, isZoomed } = zoom;
  useReveal(asked, () => {
    const box = texts[0]?.box;
    if (box && isZoomed) zoom.moveTo({ x: box.x + box.width / 2 - 0.5, y: box.y + box.height / 2 - 0.5 });
  });
  useZoomKeys(zoom, place);
  return (
    <div className="absolute inset-0 overflow-hidden">
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the buttons and keys do the same */}
      <div
        ref={place}
        data-stage
        className={clsx('absolute inset-0 touch-none select-none', isZoomed ? 'cursor-grab' : 'cursor-zoom-in')}
        {...handlers}
      >
        <div
          className={clsx('absolute inset-0', settling && 'transition-transform duration-calm')}
          style={{ transform: `translate(${offset.x}px, ${offset.y}px)`, opacity: 1 - Math.min(0.6, offset.y / 500) }}
        >
          <Beside />
          <div
            data-picture
            className="absolute top-1/2 left-1/2"
            style={{
              ...(size ? fit : room),
              transform: `translate(-50%, -50%) translate(${view.x}px, ${view.y}px) scale(${view.k})`,
              viewTransitionName: transitionName,
            }}
          >
            <Layers
              photo={photo}
              pixels={fit.width * view.k * density}
              // Enlarged beyond its own pixels it shows them.
              isPixelated={view.k > 2 * real}
              onLoaded={setLoaded}
            />
            {size ? <TextFrames key={asked} texts={texts} size={size} scale={view.k} /> : null}
            {overlay}
          </div>
        </div>
      </div>
      <ZoomControls zoom={view.k / real} isZoomed={isZoomed} isHidden={isBare} onZoom={zoom.zoomBy} onFit={zoom.fit} />
    </div>
  );
}

/** What is known of the picture, the sharper over the coarser: the thumbnail, the preview, and the original once its pixels are needed. */
function Layers({
  photo: { name, url, preview, thumbnail },
  pixels,
  isPixelated,
  onLoaded,
}: {
  photo: Photograph;
  /** So many pixels of the screen the picture is wide. */
  pixels: number;
  isPixelated: boolean;
  /** Told the size of the original. */
  onLoaded: (size: Size) => void;
}) {
  // Once asked for it stays.
  const [isOriginal, setOriginal] = useState(preview === null);
  if (!isOriginal && preview && pixels > preview.width * 1.05) setOriginal(true);
  const look = 'absolute inset-0 size-full object-contain';
  return (
    <>
      {thumbnail === null ? null : <img src={thumbnail} alt="" draggable={false} className={look} />}
      {preview ? <img src={preview.url} alt={name} draggable={false} className={look} /> : null}
      {isOriginal ? (
        <img
          src={url}
          alt={preview ? '' : name}
          data-original
          draggable={false}
          className={look}
          style={{ imageRendering: isPixelated ? 'pixelated' : 'auto' }}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => onLoaded({ width, height })}
        />
      ) : null}
    </>
  );
}

/** The keys that zoom. While nothing is enlarged `0` is left to the rating. */
function useZoomKeys(
  { zoomBy, fit, isZoomed }: ReturnType<typeof useZoom>,
  owner: RefObject<HTMLElement | null>,
): void {
  const keys = { '+': () => zoomBy(zoomStep), '=': () => zoomBy(zoomStep), '-': () => zoomBy(1 / zoomStep) };
  useKeys(isZoomed ? { ...keys, '0': fit } : keys, owner, true);
}

/** @param zoom how large a pixel of the image is shown */
const ZoomControls = ({
  zoom,
  isZoomed,
  isHidden,
  onZoom,
  onFit,
}: {
  zoom: number;
  /** Whether the image is larger than its place. */
  isZoomed: boolean;
  isHidden: boolean;
  onZoom: (factor: number) => void;
  onFit: () => void;
}) => (
  // Fingers zoom without buttons.
  <div
    className={clsx(
      'absolute right-3 bottom-3 flex items-center rounded-control bg-surface/85 shadow-float transition-opacity duration-calm max-sm:hidden',
      isHidden && 'opacity-0 has-[:focus-visible]:opacity-100',
    )}
  >
    <ZoomButton label="Zoom out" keys="−" disabled={!isZoomed} onClick={() => onZoom(1 / zoomStep)}>
      <ZoomOut aria-hidden />
    </ZoomButton>
    <span className="w-12 text-center text-label tabular-nums" role="status" aria-label="Zoom">
      {formatPercent(zoom)}
    </span>
    <ZoomButton label="Zoom in" keys="+" disabled={false} onClick={() => onZoom(zoomStep)}>
      <ZoomIn aria-hidden />
    </ZoomButton>
    <ZoomButton label="Fit" keys="0" disabled={!isZoomed} onClick={onFit}>
      <Minimize2 aria-hidden />
    </ZoomButton>
  </div>
);

/** Calls back for each request. @param asked how often */
function useReveal(asked: number, onAsk: () => void): void {
  const ask = useEffectEvent(onAsk);
  useEffect(() => {
    if (asked > 0) ask();
  }, [asked]);
}

const ZoomButton = ({
  label,
  keys,
  ...props
}: {
  label: string;
  keys: string;
  disabled: boolean;
  onClick: () => void;
  children: ReactNode;
}) => (
  <Button
    variant="quiet"
    size="icon"
    aria-label={label}
    title={`${label} (${keys})`}
    className="pointer-coarse:size-11"
    {...props}
  />
);

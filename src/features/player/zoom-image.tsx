import { clsx } from 'clsx';
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomBehavior, zoom as createZoom, zoomIdentity } from 'd3-zoom';
import { Minimize2, ZoomIn, ZoomOut } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { formatPercent } from '../../lib/format.ts';
import type { BoxedText } from '../../lib/found-text.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { TextFrames } from './text-frames.tsx';

/** The factor of one step by button or key. */
const zoomStep = 1.5;
/** So many times its own size an image is shown at most. */
const maxMagnification = 8;

const noTexts: readonly BoxedText[] = [];

/**
 * A photograph that fits its place. A click shows its pixels one to one there, and the next click all of it; pinching, the wheel with Ctrl
 * (without, once it is enlarged), plus and minus zoom, dragging pans.
 */
export function ZoomImage({
  url,
  name,
  texts = noTexts,
  asked = 0,
  overlay,
}: {
  url: string;
  name: string;
  /** Texts in it that are framed for some seconds. */
  texts?: readonly BoxedText[];
  /** How often the user asked where they are: each time the frames are drawn again, and the first text comes into view. */
  asked?: number;
  /** What else lies over it. */
  overlay?: ReactNode;
}) {
  const stage = useRef<HTMLDivElement>(null);
  const image = useRef<HTMLImageElement>(null);
  const { scale: natural, ...size } = useNaturalSize(image);
  const { view, zoomBy, toggle, fit, moveTo } = useZoom(stage, natural);
  const isZoomed = view.k > 1;
  useReveal(asked, () => {
    stage.current?.scrollIntoView({ block: 'nearest' });
    const [text] = texts;
    if (text && image.current) moveTo(partOf(text.box, image.current));
  });
  useKeys({ '+': () => zoomBy(zoomStep), '-': () => zoomBy(1 / zoomStep), f: fit }, stage);
  return (
    <div className="relative bg-raised">
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the buttons and keys do the same */}
      <div
        ref={stage}
        className={clsx(
          'touch-pan-y scroll-mt-20 overflow-hidden',
          isZoomed ? 'cursor-grab touch-none' : 'cursor-zoom-in',
        )}
        onClick={toggle}
      >
        <div
          className="relative origin-top-left"
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.k})` }}
        >
          <img
            ref={image}
            src={url}
            alt={name}
            draggable={false}
            className="mx-auto max-h-[70dvh] object-contain select-none"
            // Enlarged beyond its own pixels it shows them.
            style={{ imageRendering: view.k > 2 * natural ? 'pixelated' : 'auto' }}
          />
          <TextFrames key={asked} texts={texts} size={size} scale={view.k} />
          {overlay}
        </div>
      </div>
      <ZoomControls zoom={view.k / natural} isZoomed={isZoomed} onZoom={zoomBy} onFit={fit} />
    </div>
  );
}

/** @param zoom how large a pixel of the image is shown */
const ZoomControls = ({
  zoom,
  isZoomed,
  onZoom,
  onFit,
}: {
  zoom: number;
  /** Whether the image is larger than its place. */
  isZoomed: boolean;
  onZoom: (factor: number) => void;
  onFit: () => void;
}) => (
  // On a phone below the image: there they would hide a quarter of it.
  <div className="flex items-center border-line bg-surface/90 max-sm:justify-end max-sm:border-t sm:absolute sm:right-2 sm:bottom-2 sm:rounded-control sm:border sm:shadow-float">
    <ZoomButton label="Zoom out" keys="−" disabled={!isZoomed} onClick={() => onZoom(1 / zoomStep)}>
      <ZoomOut aria-hidden />
    </ZoomButton>
    <span className="w-12 text-center text-label tabular-nums" role="status" aria-label="Zoom">
      {formatPercent(zoom)}
    </span>
    <ZoomButton label="Zoom in" keys="+" disabled={false} onClick={() => onZoom(zoomStep)}>
      <ZoomIn aria-hidden />
    </ZoomButton>
    <ZoomButton label="Fit" keys="F" disabled={!isZoomed} onClick={onFit}>
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

/** A part of an image: its middle and its width, in pixels of the element that holds the image. */
type Part = { x: number; y: number; width: number };

function partOf({ x, y, width, height }: BoxedText['box'], image: HTMLImageElement): Part {
  const { offsetLeft, offsetTop, clientWidth, clientHeight } = image;
  return {
    x: offsetLeft + (x + width / 2) * clientWidth,
    y: offsetTop + (y + height / 2) * clientHeight,
    width: width * clientWidth,
  };
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
    className="max-sm:size-11 pointer-coarse:size-11"
    {...props}
  />
);

/** The pixels of an image, 0 before it is loaded; and how many it has for each that it is laid out with, 1 until then. */
function useNaturalSize(image: RefObject<HTMLImageElement | null>): { scale: number; width: number; height: number } {
  const [size, setSize] = useState({ scale: 1, width: 0, height: 0 });
  useEffect(() => {
    const { current } = image;
    if (!current) return undefined;
    const measure = () => {
      const { naturalWidth: width, naturalHeight: height, clientWidth } = current;
      if (current.complete && clientWidth > 0) setSize({ scale: width / clientWidth, width, height });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    current.addEventListener('load', measure);
    return () => {
      observer.disconnect();
      current.removeEventListener('load', measure);
    };
  }, [image]);
  return size;
}

/**
 * Zooms and pans the content of an element. `k` is 1 where it fits; `x` and `y` are pixels.
 * @param natural the zoom at which pixels are shown one to one
 */
function useZoom(ref: RefObject<HTMLDivElement | null>, natural: number) {
  const [view, setView] = useState({ k: 1, x: 0, y: 0 });
  const behavior = useRef<ZoomBehavior<HTMLDivElement, unknown> | null>(null);
  const isZoomed = useRef(false);
  const most = Math.max(2, maxMagnification * natural);
  useEffect(() => {
    const stage = ref.current;
    if (!stage) return undefined;
    const created = createZoom<HTMLDivElement, unknown>()
      .scaleExtent([1, most])
      // A click is told from a drag by it.
      .clickDistance(4)
      .filter((event: MouseEvent | TouchEvent) => {
        if (event.type === 'wheel') return isZoomed.current || (event as WheelEvent).ctrlKey;
        // One finger scrolls the page as long as nothing is enlarged.
        if ('touches' in event) return isZoomed.current || event.touches.length > 1;
        return event.button === 0;
      })
      .on('start.area zoom.area', () => {
        const { clientWidth, clientHeight } = stage;
        created.translateExtent([
          [0, 0],
          [clientWidth, clientHeight],
        ]);
      })
      .on('zoom', ({ transform: { k, x, y } }: D3ZoomEvent<HTMLDivElement, unknown>) => {
        isZoomed.current = k > 1;
        setView({ k, x, y });
      });
    behavior.current = created;
    const selection = select(stage);
    selection.call(created).on('dblclick.zoom', null);
    return () => {
      selection.on('.zoom', null);
    };
  }, [ref, most]);

  const act = (work: (zoom: ZoomBehavior<HTMLDivElement, unknown>, stage: HTMLDivElement) => void) => {
    if (behavior.current && ref.current) work(behavior.current, ref.current);
  };
  const fit = () => act((zoom, stage) => zoom.transform(select(stage), zoomIdentity));
  return {
    view,
    fit,
    zoomBy: (factor: number) => act((zoom, stage) => zoom.scaleBy(select(stage), factor)),
    /** Moves what is enlarged until a part is in the middle, or as near to it as the image reaches; shows all where the part is too wide. */
    moveTo: ({ x, y, width }: Part) =>
      act((zoom, stage) => {
        if (width * view.k > stage.clientWidth) fit();
        else if (isZoomed.current) zoom.translateTo(select(stage), x, y);
      }),
    /** All of it, or its pixels one to one about a place of the screen. */
    toggle: ({ clientX, clientY }: { clientX: number; clientY: number }) =>
      act((zoom, stage) => {
        if (isZoomed.current) return fit();
        const { left, top } = stage.getBoundingClientRect();
        // Where the image is smaller than its place there is nothing to see one to one.
        zoom.scaleTo(select(stage), Math.max(natural, 2), [clientX - left, clientY - top]);
      }),
  };
}

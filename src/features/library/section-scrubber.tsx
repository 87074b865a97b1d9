import { clsx } from 'clsx';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useElementSize } from '../../lib/use-element-size.ts';
import type { GridSection } from './grid-layout.ts';
import type { GridView } from './use-grid-rows.ts';

type Section = GridSection & { heading: string };

/** How far the page can be scrolled, pixels. */
const scrollRange = (): number => Math.max(1, document.documentElement.scrollHeight - window.innerHeight);

const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

/** In a shorter list everything is near. */
const minScreens = 2;

/**
 * A track at the right edge that stands for the whole list. Its handle shows how far the page is scrolled and, while it moves, which section is
 * there; it is dragged, or moved by keys from section to section.
 */
export function SectionScrubber({
  sections,
  view,
  onMove,
}: {
  sections: readonly Section[];
  view: GridView;
  /** Called when a drag begins, with true, and when it ends. */
  onMove: (moving: boolean) => void;
}) {
  const track = useRef<HTMLDivElement>(null);
  const [dragging, setDragging] = useState(false);
  const setMoving = (moving: boolean) => {
    setDragging(moving);
    onMove(moving);
  };
  const follow = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (box) window.scrollTo({ top: between(0, (event.clientY - box.top) / box.height, 1) * scrollRange() });
  };
  if (sections.length < 2 || view.height < minScreens * window.innerHeight) return null;
  return (
    <div
      ref={track}
      className="pointer-events-none fixed top-48 right-0 bottom-[calc(theme(spacing.foot)+1.75rem)] z-10 w-8 touch-none select-none md:pointer-events-auto md:bottom-8 md:w-14"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setMoving(true);
        follow(event);
      }}
      onPointerMove={(event) => (dragging ? follow(event) : undefined)}
      onPointerUp={() => setMoving(false)}
      onPointerCancel={() => setMoving(false)}
    >
      <Marks track={track} sections={sections} view={view} />
      <Handle sections={sections} view={view} dragging={dragging} />
    </div>
  );
}

/** Milliseconds after the last movement of the page for which the section is still named. */
const lingerMs = 900;

/** Where the page is scrolled to, for the hand and for the keys. */
function Handle({
  sections,
  view: { layout, rowAtTop, scrollOf },
  dragging,
}: {
  sections: readonly Section[];
  view: GridView;
  dragging: boolean;
}) {
  const handle = useRef<HTMLDivElement>(null);
  const [scrolling, setScrolling] = useState(false);
  useScroll(() => {
    // Not by rendering: it follows each frame.
    handle.current?.style.setProperty('top', `${100 * between(0, window.scrollY / scrollRange(), 1)}%`);
  }, setScrolling);
  /** Where a key led to. The last sections may be too short to be scrolled to the top. */
  const [chosen, setChosen] = useState<{ section: number; at: number } | null>(null);
  const current = chosen && Math.abs(chosen.at - window.scrollY) < 2 ? chosen.section : layout.rowAt(rowAtTop).section;
  const name = sections[current]?.heading ?? '';
  const onKeyDown = (event: KeyboardEvent) => {
    const target = sectionAfter(event.key, current, sections.length);
    if (target === undefined) return;
    event.preventDefault();
    window.scrollTo({ top: target === 0 ? 0 : scrollOf(layout.rowOfSection(target)) });
    setChosen({ section: target, at: window.scrollY });
  };
  return (
    <div
      ref={handle}
      role="slider"
      tabIndex={0}
      aria-label="Go to"
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={sections.length - 1}
      aria-valuenow={current}
      aria-valuetext={name}
      onKeyDown={onKeyDown}
      className="group pointer-events-auto absolute right-0 h-11 w-8 -translate-y-1/2 cursor-ns-resize touch-none rounded-control -outline-offset-2 md:w-14"
    >
      <span className="absolute top-1/2 right-1 h-9 w-1.5 -translate-y-1/2 rounded-full bg-accent ring-1 ring-surface forced-colors:bg-[Highlight]" />
      <span
        className={clsx(
          'pointer-events-none absolute top-1/2 right-full mr-1 -translate-y-1/2 rounded-control border border-transparent bg-ink px-2.5 py-1 text-label font-medium whitespace-nowrap text-surface shadow-float transition-opacity',
          dragging || scrolling ? 'opacity-100' : 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
        )}
      >
        {name}
      </span>
    </div>
  );
}

/** The section that a key leads to; undefined for a key that leads nowhere. */
function sectionAfter(key: string, current: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowRight: current + 1,
    ArrowUp: current - 1,
    ArrowLeft: current - 1,
    PageDown: current + 12,
    PageUp: current - 12,
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : between(0, target, count - 1);
}

/**
 * Follows the scrolling of the page.
 * @param place called at first, and for each movement
 * @param onChange called with whether the page moves, or did until a moment ago
 */
function useScroll(place: () => void, onChange: (moving: boolean) => void): void {
  const placing = useRef(place);
  useEffect(() => {
    placing.current = place;
    place();
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      placing.current();
      onChange(true);
      clearTimeout(timer);
      timer = setTimeout(() => onChange(false), lingerMs);
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('scroll', onScroll);
    };
  }, [onChange]);
}

/** Between two names on the track, at least, pixels. */
const minMarkDistance = 26;

/** What sections have in common, such as years, where the first of them is on the track, as far as there is room. For the eye only. */
function Marks({
  track,
  sections,
  view: { layout, scrollOf },
}: {
  track: RefObject<HTMLElement | null>;
  sections: readonly Section[];
  view: GridView;
}) {
  const { height } = useElementSize(track);
  const marks: { text: string; place: number }[] = [];
  for (const [section, { mark }] of sections.entries()) {
    if (mark === undefined || mark === sections[section - 1]?.mark) continue;
    const place = section === 0 ? 0 : between(0, scrollOf(layout.rowOfSection(section)) / scrollRange(), 1);
    const last = marks.at(-1);
    if (!last || (place - last.place) * height >= minMarkDistance) marks.push({ text: mark, place });
  }
  return marks.map(({ text, place }) => (
    <span
      key={text}
      aria-hidden
      className="absolute right-4 hidden -translate-y-1/2 cursor-ns-resize text-xs text-quiet tabular-nums md:block"
      style={{ top: `${100 * place}%` }}
    >
      {text}
    </span>
  ));
}

import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import { CardImage } from '../../ui/card-image.tsx';
import { firstIn } from './grid-layout.ts';
import type { GridView } from './use-grid-rows.ts';

/** How far the page can be scrolled, pixels. */
const scrollRange = (): number => Math.max(1, document.documentElement.scrollHeight - window.innerHeight);

const between = (low: number, value: number, high: number): number => Math.min(high, Math.max(low, value));

/** In a shorter list everything is near. */
const minScreens = 2;

/**
 * A track at the right edge that stands for the whole list. Its handle shows how far the page is scrolled and, while it moves, which section is
 * there; it is dragged, or moved by keys from section to section. Pointing at the track shows the section and a picture of that place.
 */
export function SectionScrubber({
  view,
  filter,
  onMove,
}: {
  view: GridView;
  filter: MediaFilter;
  /** Called when a drag begins, with true, and when it ends. */
  onMove: (moving: boolean) => void;
}) {
  const track = useRef<HTMLDivElement>(null);
  const [dragging, setDragging] = useState(false);
  /** Where the pointer is on the track, from 0 to 1; null: elsewhere. */
  const [pointed, setPointed] = useState<number | null>(null);
  const setMoving = (moving: boolean) => {
    setDragging(moving);
    onMove(moving);
  };
  const placeOf = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect();
    return box ? between(0, (event.clientY - box.top) / box.height, 1) : 0;
  };
  const follow = (event: PointerEvent) => {
    setPointed(placeOf(event));
    window.scrollTo({ top: placeOf(event) * scrollRange() });
  };
  if (view.layout.sections.length < 2 || view.layout.height < minScreens * window.innerHeight) return null;
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
      onPointerMove={(event) => {
        if (dragging) follow(event);
        else if (event.pointerType === 'mouse') setPointed(placeOf(event));
      }}
      onPointerLeave={() => (dragging ? undefined : setPointed(null))}
      onPointerUp={(event) => {
        setMoving(false);
        if (event.pointerType !== 'mouse') setPointed(null);
      }}
      onPointerCancel={() => {
        setMoving(false);
        setPointed(null);
      }}
    >
      <Marks track={track} view={view} />
      <Handle view={view} named={pointed === null} />
      {pointed === null ? null : <Preview view={view} filter={filter} place={pointed} />}
    </div>
  );
}

/** Milliseconds after the last movement of the page for which the section is still named. */
const lingerMs = 900;

const label =
  'pointer-events-none absolute right-full mr-1 -translate-y-1/2 rounded-control border border-transparent bg-ink px-2.5 py-1 text-label font-medium whitespace-nowrap text-surface shadow-float';

/** Where the page is scrolled to, for the hand and for the keys. @param named whether it says which section is there */
function Handle({ view: { layout, rowAtTop, scrollOf }, named }: { view: GridView; named: boolean }) {
  const handle = useRef<HTMLDivElement>(null);
  const [scrolling, setScrolling] = useState(false);
  const sectionAtTop = () => layout.rowAt(rowAtTop())?.section ?? 0;
  const [atTop, setAtTop] = useState(sectionAtTop);
  useScroll(() => {
    // Not by rendering: it follows each frame.
    handle.current?.style.setProperty('top', `${100 * between(0, window.scrollY / scrollRange(), 1)}%`);
    setAtTop(sectionAtTop());
  }, setScrolling);
  /** Where a key led to. The last sections may be too short to be scrolled to the top. */
  const [chosen, setChosen] = useState<{ section: number; at: number } | null>(null);
  const { sections } = layout;
  const current = chosen && Math.abs(chosen.at - window.scrollY) < 2 ? chosen.section : atTop;
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
      {named ? (
        <span
          className={clsx(
            label,
            'top-1/2 transition-opacity',
            scrolling ? 'opacity-100' : 'opacity-0 group-focus-visible:opacity-100',
          )}
        >
          {name}
        </span>
      ) : null}
    </div>
  );
}

/** The longest a hand rests for a picture to be asked for, ms. */
const restMs = 120;

/** The section at a place of the track, and the first picture there. */
function Preview({ view: { layout, top }, filter, place }: { view: GridView; filter: MediaFilter; place: number }) {
  const row = layout.rowAt(layout.rowAtOffset(place * scrollRange() + 76 - top));
  const position = firstIn(row, layout);
  const rested = useRested(position);
  const page = Math.floor(rested / maxPerPage) + 1;
  const items = useQuery({ ...mediaPageOptions(filter, page), staleTime: 60_000 }).data?.data;
  const item = items?.[rested % maxPerPage];
  return (
    <div aria-hidden className={clsx(label, 'overflow-hidden !p-1')} style={{ top: `${100 * place}%` }}>
      <div className="h-24 w-36 overflow-hidden rounded-md bg-quiet/40">
        {item?.thumbnail ? (
          <CardImage
            thumbnail={item.thumbnail}
            thumbnails={item.thumbnails}
            sizes="144px"
            className="size-full object-cover"
          />
        ) : null}
      </div>
      <p className="px-1.5 pt-1 text-center">{layout.sections[row?.section ?? 0]?.heading}</p>
    </div>
  );
}

/** A number once it has not changed for a moment, so that what a hand passes is not asked for. */
function useRested(value: number): number {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
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
function Marks({ track, view: { layout, scrollOf } }: { track: RefObject<HTMLElement | null>; view: GridView }) {
  const { height } = useElementSize(track);
  const { sections } = layout;
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

import { clsx } from 'clsx';
import { ArrowDownToLine } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { type Cue, cueLead, lastBegun } from '../../lib/captions/parse-vtt.ts';
import { formatCount, formatTime } from '../../lib/format.ts';
import { type PlaybackClock, useAtTime } from '../../lib/playback-clock.ts';
import { Button } from '../../ui/button.tsx';
import { findLines, markWords } from './find-lines.ts';
import { useLines } from './use-lines.ts';

type TimedLinesProps<Line extends Cue> = {
  /** What the lines are, as the list and its filter are called. */
  label: string;
  /** In order of their starts. */
  lines: readonly Line[];
  language?: string | null;
  /** What they follow. */
  clock: PlaybackClock;
  /** Plays a line. */
  onPlay: (line: Line) => void;
};

/**
 * Lines of text with their times. A line plays where it is said; the one that is said now is marked and kept in view, until the reader
 * scrolls. Only what can be seen is rendered: an hour has a thousand lines.
 */
export function TimedLines<Line extends Cue>({ label, lines, ...props }: TimedLinesProps<Line>) {
  const [text, setText] = useState('');
  const query = useDeferredValue(text);
  const places = useMemo(() => findLines(lines, query), [lines, query]);
  return (
    <>
      <div className="mb-2 flex items-center gap-3">
        <input
          type="search"
          aria-label={`Filter: ${label}`}
          placeholder="Filter"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-9 min-w-0 flex-1 rounded-control border border-line bg-canvas px-3"
        />
        <span role="status" className="text-label text-quiet tabular-nums">
          {places.length === lines.length ? '' : `${formatCount(places.length)} of `}
          {formatCount(lines.length)}
          <span className="max-sm:sr-only">{lines.length === 1 ? ' line' : ' lines'}</span>
        </span>
      </div>
      {places.length === 0 ? <p className="py-2 text-quiet">No line contains these words.</p> : null}
      <List label={label} lines={lines} places={places} query={query} {...props} />
    </>
  );
}

type ListProps<Line extends Cue> = TimedLinesProps<Line> & {
  /** Which of the lines are shown. */
  places: readonly number[];
  query: string;
};

function List<Line extends Cue>({ label, lines, places, query, language, clock, onPlay }: ListProps<Line>) {
  const current = useAtTime(clock, (time) => lastBegun(lines, time + cueLead));
  const currentRow = places.findLastIndex((place) => place <= current);
  const { scroller, rows, height, measure, stop, following, follow, handlers } = useLines(places, currentRow, query);
  return (
    <div className="relative">
      <div
        ref={scroller}
        role="presentation"
        className="max-h-96 overflow-y-auto overscroll-contain lg:max-h-[max(24rem,100dvh-14rem)]"
        {...handlers}
      >
        <ol aria-label={label} lang={language ?? undefined} className="relative" style={{ height }}>
          {rows.map(({ index, key, start: top }) => {
            const place = places[index] ?? 0;
            const line = lines[place];
            return line ? (
              <li
                key={key}
                ref={measure}
                data-index={index}
                aria-setsize={places.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${top}px)` }}
              >
                <LineButton
                  line={line}
                  query={query}
                  current={place === current}
                  tabIndex={index === stop ? 0 : -1}
                  onClick={() => {
                    follow(index);
                    onPlay(line);
                  }}
                />
              </li>
            ) : null;
          })}
        </ol>
      </div>
      {following || currentRow < 0 ? null : (
        <Button size="small" className="absolute right-3 bottom-2 shadow-float" onClick={() => follow()}>
          <ArrowDownToLine aria-hidden />
          Follow playback
        </Button>
      )}
    </div>
  );
}

const LineButton = ({
  line: { start, text, uncertain },
  query,
  current,
  tabIndex,
  onClick,
}: {
  line: Cue;
  query: string;
  current: boolean;
  tabIndex: number;
  onClick: () => void;
}) => (
  <button
    type="button"
    tabIndex={tabIndex}
    aria-current={current ? 'true' : undefined}
    onClick={onClick}
    className={clsx(
      // The list cuts off what is outside.
      'flex w-full gap-3 rounded-control px-2 py-2 text-left -outline-offset-2',
      current ? 'bg-accent-soft' : 'hover:bg-raised',
    )}
  >
    <span className="w-14 shrink-0 pt-px text-label text-accent tabular-nums">{formatTime(start)}</span>
    <span
      dir="auto"
      title={uncertain ? 'Recognised with low confidence' : undefined}
      className={clsx('min-w-0 flex-1 text-start wrap-anywhere whitespace-pre-line', uncertain && 'text-quiet italic')}
    >
      {uncertain ? <span className="sr-only">Uncertain: </span> : null}
      {markWords(text, query).map((part, i) =>
        part.matched ? (
          // oxlint-disable-next-line react/no-array-index-key -- the pieces of one text never change places
          <mark key={i} className="rounded bg-accent-soft text-accent">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </span>
  </button>
);

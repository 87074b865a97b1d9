import { useDeferredValue, useState } from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';

/** What was read in a video: subtitles, chapter titles and the like, each line with its time. */
export function FoundText({ chunks, onJump }: { chunks: readonly Chunk[]; onJump: (time: number) => void }) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLocaleLowerCase());
  const lines = chunks.flatMap(({ id, start, text: line }) => (line ? [{ id, start, line }] : []));
  if (lines.length === 0) return null;
  const shown = lines.filter(({ line }) => line.toLocaleLowerCase().includes(wanted));
  return (
    <section aria-label="Text" className="rounded-card border border-line bg-surface p-4">
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-semibold">Text in this video</h2>
        <input
          type="search"
          aria-label="Filter the text"
          placeholder="Filter"
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="h-9 min-w-0 flex-1 basis-40 rounded-control border border-line bg-canvas px-3"
        />
      </div>
      {shown.length === 0 ? <p className="py-2 text-quiet">No line holds this.</p> : null}
      <ol aria-label="Lines" className="max-h-96 divide-y divide-line overflow-y-auto">
        {shown.map(({ id, start, line }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onJump(start)}
              className="flex w-full gap-3 rounded-control px-1 py-2 text-left hover:bg-raised"
            >
              <span className="shrink-0 pt-px text-label text-accent tabular-nums">{formatTime(start)}</span>
              <span className="min-w-0 wrap-anywhere">{line}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

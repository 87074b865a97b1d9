import { clsx } from 'clsx';
import { Search, X } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { SearchHit } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { momentOfText } from '../../lib/found-text.ts';
import { describeSearchIn, type ItemQuery, readSearchIn } from '../../lib/search-in.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { StrengthBars, strengthOf } from '../../ui/strength.tsx';
import { TextMatch } from '../../ui/text-match.tsx';
import type { ItemHits } from './use-item-hits.ts';

/** A search inside one video: the field, and what was found in order of time. */
export function FindInside({
  query,
  hits,
  places,
  onSearch,
  onJump,
}: {
  query: ItemQuery;
  hits: ItemHits;
  /** Chooses where words are looked for. */
  places: ReactNode;
  onSearch: (changes: Partial<ItemQuery>) => void;
  /** Goes to a second of the video. */
  onJump: (time: number) => void;
}) {
  return (
    <section aria-label="Search in this video">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-semibold">Search in this video</h2>
        <WordsField key={query.q} words={query.q} onSearch={(q) => onSearch({ q })} />
      </div>
      {query.q === '' ? null : (
        <>
          <div className="mt-2 flex flex-wrap gap-2">{places}</div>
          <Found
            hits={hits}
            searchedIn={query.in}
            onSearchEverywhere={() => onSearch({ in: undefined })}
            onJump={onJump}
          />
        </>
      )}
    </section>
  );
}

function WordsField({ words, onSearch }: { words: string; onSearch: (words: string) => void }) {
  const [text, setText] = useState(words);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form role="search" aria-label="In this video" onSubmit={submit} className="flex min-w-0 flex-1 basis-60 gap-1">
      <input
        aria-label="Words to find in this video"
        value={text}
        placeholder="Describe a moment…"
        maxLength={500}
        onChange={({ target }) => setText(target.value)}
        className="h-9 w-full min-w-0 rounded-control border border-line bg-canvas px-3"
      />
      {words === '' ? null : (
        <IconButton icon={X} label="Clear the search" title="Clear" onClick={() => onSearch('')} />
      )}
      <Button type="submit">
        <Search aria-hidden />
        Search
      </Button>
    </form>
  );
}

function Found({
  hits: { shown, weak, isPending, error, retry },
  searchedIn,
  onSearchEverywhere,
  onJump,
}: {
  hits: ItemHits;
  searchedIn: ItemQuery['in'];
  onSearchEverywhere: () => void;
  onJump: (time: number) => void;
}) {
  const [withWeak, setWithWeak] = useState(false);
  if (error !== null) {
    return (
      <p role="alert" className="mt-3 flex items-center gap-3 text-danger">
        {error}
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      </p>
    );
  }
  if (isPending) return <div className="mt-3 h-24 animate-pulse rounded-control bg-raised" aria-busy="true" />;
  return (
    <>
      <p className="mt-3 flex flex-wrap items-center gap-x-3 text-label text-quiet" aria-live="polite">
        {shown.length === 0
          ? nothingFound(searchedIn)
          : `${shown.length} ${shown.length === 1 ? 'match' : 'matches'}, in order of time.`}
        {shown.length === 0 && searchedIn !== undefined ? (
          <Button size="small" onClick={onSearchEverywhere}>
            Search everywhere
          </Button>
        ) : null}
        {shown.length > 0 ? (
          <span className="pointer-coarse:hidden">
            <Key>N</Key> next, <Key>Shift</Key> <Key>N</Key> previous
          </span>
        ) : null}
      </p>
      <HitList label="Matches" hits={shown} onJump={onJump} />
      {weak.length > 0 ? (
        <>
          <Button
            variant="quiet"
            size="small"
            aria-expanded={withWeak}
            className="mt-2"
            onClick={() => setWithWeak(!withWeak)}
          >
            {withWeak ? 'Hide weaker matches' : `Show ${weak.length} weaker ${weak.length === 1 ? 'match' : 'matches'}`}
          </Button>
          {withWeak ? <HitList label="Weaker matches" hits={weak} onJump={onJump} /> : null}
        </>
      ) : null}
    </>
  );
}

const nothingFound = (searchedIn: ItemQuery['in']): string =>
  searchedIn === undefined
    ? 'Nothing in this video clearly matches.'
    : `Nothing in this video clearly matches in ${describeSearchIn(readSearchIn(searchedIn))}.`;

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded border border-line bg-raised px-1 text-xs">{children}</kbd>
);

function HitList({ label, hits, onJump }: { label: string; hits: SearchHit[]; onJump: (time: number) => void }) {
  if (hits.length === 0) return null;
  return (
    <ol aria-label={label} className="mt-2 grid grid-cols-2 gap-2">
      {hits.map((hit) => (
        <li key={hit.chunk_id} className="min-w-0">
          <Hit hit={hit} onJump={onJump} />
        </li>
      ))}
    </ol>
  );
}

/** A hit, and the text that it was found by. */
function Hit({ hit, onJump }: { hit: SearchHit; onJump: (time: number) => void }) {
  const match = hit.signals.matches?.[0];
  return (
    <>
      <button
        type="button"
        onClick={() => onJump(hit.start)}
        className={clsx(
          'relative block w-full overflow-hidden rounded-md border border-line text-left hover:border-quiet',
          hit.weak && 'opacity-80',
        )}
      >
        <CardImage
          thumbnail={hit.thumbnail}
          thumbnails={hit.thumbnails}
          className="aspect-video w-full bg-raised object-cover"
        />
        <span className="flex items-center justify-between px-2 py-1 text-label tabular-nums">
          <span>
            <span className="sr-only">Go to </span>
            {formatTime(hit.start, true)}
          </span>
          <StrengthBars hit={hit} className="text-quiet" />
          <span className="sr-only">{strengthOf(hit)?.text}</span>
        </span>
      </button>
      {match ? (
        <div className="mt-1">
          <TextMatch short match={match} type={hit.type} onShow={() => onJump(momentOfText(match, hit) ?? hit.start)} />
        </div>
      ) : null}
    </>
  );
}

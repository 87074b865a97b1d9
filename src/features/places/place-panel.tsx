import { useQuery } from '@tanstack/react-query';
import { X, ZoomIn } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { formatCount } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';

/** Pictures that are shown; the library has all. */
const most = 12;

/**
 * What was recorded in an area: pictures, the way to all of them, and a search that is limited to it.
 * @param area the box as the URL has it
 * @param name what it is called
 * @param filter of the page, without the area
 * @param search the same in the URL
 * @param onZoom shows the area alone
 */
export function PlacePanel({
  area,
  name,
  filter,
  search,
  onZoom,
  onClose,
}: {
  area: string;
  name: string | null;
  filter: MediaFilter;
  search: URLSearchParams;
  onZoom: () => void;
  onClose: () => void;
}) {
  const ref = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const { data, error, refetch } = useQuery(mediaPageOptions({ ...filter, box: area }, 1));
  useEffect(() => heading.current?.focus(), []);
  useCloseByEscape(ref, onClose);
  const total = data?.meta.total;
  return (
    <section
      ref={ref}
      aria-label="Selected place"
      className="absolute z-[700] flex flex-col rounded-card border border-line bg-surface shadow-lg max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[70%] max-sm:rounded-b-none sm:top-3 sm:left-3 sm:max-h-[calc(100%-1.5rem)] sm:w-80"
    >
      <div className="flex items-start gap-2 p-3 pb-2">
        <div className="min-w-0 flex-1">
          <h2 ref={heading} tabIndex={-1} className="font-semibold wrap-anywhere outline-none">
            {name ?? 'Selected area'}
          </h2>
          <p className="text-label text-quiet tabular-nums" role="status">
            {total === undefined ? 'Loading…' : total === 1 ? '1 item' : `${formatCount(total)} items`}
          </p>
        </div>
        {(total ?? 0) > 1 ? <IconButton icon={ZoomIn} label="Zoom in here" size="smallIcon" onClick={onZoom} /> : null}
        <IconButton icon={X} label="Close" size="smallIcon" onClick={onClose} />
      </div>
      <SearchHere toAddress={(words) => addressOf(paths.search, search, area, words)} />
      <div className="min-h-0 flex-1 overflow-y-auto px-3">
        {error && !data ? <QueryFailure error={error} onRetry={() => void refetch()} /> : null}
        <Pictures items={data?.data.slice(0, most) ?? []} />
      </div>
      <div className="p-3">
        <Button asChild className="w-full">
          <Link to={addressOf(paths.library, search, area)}>Show in the library</Link>
        </Button>
      </div>
    </section>
  );
}

/** A page with the filters of the map, limited to an area. */
function addressOf(page: string, search: URLSearchParams, area: string, words = ''): string {
  const query = new URLSearchParams(search);
  query.delete('at');
  query.set('area', area);
  if (words !== '') query.set('q', words);
  return `${page}?${query}`;
}

function useCloseByEscape(ref: RefObject<HTMLElement | null>, onClose: () => void): void {
  useEffect(() => {
    const element = ref.current;
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onClose();
    };
    element?.addEventListener('keydown', close);
    return () => element?.removeEventListener('keydown', close);
  }, [ref, onClose]);
}

function SearchHere({ toAddress }: { toAddress: (words: string) => string }) {
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  return (
    <form
      role="search"
      aria-label="Here"
      className="flex gap-2 px-3 pb-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim() !== '') void navigate(toAddress(words.trim()));
      }}
    >
      <input
        type="search"
        aria-label="Search here"
        placeholder="Search here…"
        maxLength={500}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        className="h-9 min-w-0 flex-1 rounded-control border border-line bg-canvas px-2.5 pointer-coarse:h-11"
      />
      <Button type="submit">Search</Button>
    </form>
  );
}

const Pictures = ({ items }: { items: MediaItem[] }) => (
  <ul className="grid grid-cols-3 gap-1.5" aria-label="Items here">
    {items.map(({ id, filename, thumbnail, thumbnails }) => (
      <li key={id}>
        <Link
          to={paths.media(id)}
          aria-label={filename}
          title={filename}
          className="block overflow-hidden rounded-control bg-raised"
        >
          {thumbnail === null ? (
            <span className="block aspect-square" />
          ) : (
            <CardImage thumbnail={thumbnail} thumbnails={thumbnails} className="aspect-square w-full object-cover" />
          )}
        </Link>
      </li>
    ))}
  </ul>
);

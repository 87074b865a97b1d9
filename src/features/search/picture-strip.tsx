import { clsx } from 'clsx';
import { useId } from 'react';
import { Link } from 'react-router';
import { shownRatio } from '../../lib/justified-rows.ts';
import { Button } from '../../ui/button.tsx';

export type StripPicture = {
  key: string;
  to: string;
  /** What the link is called by those who listen. */
  name: string;
  title: string;
  /** The picture in its sizes, the smallest first; none where only `fallback` is known. */
  sizes: { url: string; width: number; height: number }[];
  /** Empty: there is no picture. */
  fallback: string;
  time?: string | undefined;
};

/** Height of the pictures, CSS pixels, on screens and on phones: the strip has it before it has pictures. */
const heightClass = 'h-28 sm:h-36';

/** Shapes of what stands for pictures to come. */
const expected = ['aspect-3/2', 'aspect-4/3', 'aspect-video', 'aspect-3/4', 'aspect-3/2', 'aspect-4/3', 'aspect-video'];

type Query = { data: StripPicture[] | undefined; error: Error | null; isPending: boolean; refetch: () => unknown };

/** Pictures in one row of a fixed height, which scrolls to the side. */
export function PictureStrip({
  title,
  more,
  named = false,
  query,
  empty,
}: {
  title: string;
  /** The page that has all of them. */
  more?: { to: string; text: string };
  /** Whether names stand on the pictures, all of one shape; otherwise each has its own shape. */
  named?: boolean;
  query: Query;
  /** What is said where there are none. */
  empty: string;
}) {
  const id = useId();
  const { data } = query;
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex items-baseline gap-3">
        <h2 id={id} className="text-title font-semibold">
          {title}
        </h2>
        {more ? (
          <Link to={more.to} className="ml-auto text-label text-accent hover:underline">
            {more.text}
          </Link>
        ) : null}
      </div>
      {data && data.length > 0 ? (
        <ul
          aria-labelledby={id}
          className="-mx-4 flex [scrollbar-width:thin] gap-2 overflow-x-auto px-4 py-1 md:-mx-1 md:px-1"
        >
          {data.map((picture) => (
            <Picture key={picture.key} picture={picture} named={named} />
          ))}
        </ul>
      ) : (
        <Instead query={query} named={named} empty={empty} />
      )}
    </section>
  );
}

/** What stands in the place of pictures: shapes of those to come, why there are none. */
function Instead({ query, named, empty }: { query: Query; named: boolean; empty: string }) {
  const { error, isPending } = query;
  return (
    <div
      className={clsx('my-1 flex items-center gap-2 overflow-hidden', heightClass)}
      role="status"
      aria-busy={isPending}
    >
      {isPending ? (
        expected.map((shape, i) => (
          <span
            // oxlint-disable-next-line react/no-array-index-key -- they never change places
            key={i}
            className={clsx('h-full shrink-0 animate-pulse rounded-control bg-raised', named ? 'aspect-4/3' : shape)}
          />
        ))
      ) : error ? (
        <>
          <p className="text-quiet">{error.message}</p>
          <Button size="small" onClick={() => void query.refetch()}>
            Try again
          </Button>
        </>
      ) : (
        <p className="text-quiet">{empty}</p>
      )}
    </div>
  );
}

const namedRatio = 4 / 3;

function Picture({ picture, named }: { picture: StripPicture; named: boolean }) {
  const { to, name, title, sizes, fallback, time } = picture;
  const largest = sizes.at(-1);
  const ratio = named || !largest ? namedRatio : shownRatio(largest.width / largest.height);
  return (
    <li className="shrink-0">
      <Link
        to={to}
        title={title}
        style={{ aspectRatio: ratio }}
        className={clsx('group relative block overflow-hidden rounded-control bg-raised', heightClass)}
      >
        <span className="sr-only">{name}</span>
        {fallback === '' ? null : (
          <img
            alt=""
            loading="lazy"
            decoding="async"
            src={fallback}
            {...(sizes.length > 0
              ? { srcSet: sizes.map(({ url, width }) => `${url} ${width}w`).join(', '), sizes: `${ratio * 144}px` }
              : {})}
            className="size-full object-cover transition-transform duration-calm group-hover:scale-103"
          />
        )}
        {named || time !== undefined ? (
          <span
            className={clsx(
              'absolute text-white',
              named
                ? 'inset-x-0 bottom-0 truncate bg-linear-to-t from-black/85 to-transparent px-2.5 pt-8 pb-2 font-medium'
                : 'right-1.5 bottom-1.5 rounded bg-black/70 px-1.5 py-0.5 text-xs font-medium tabular-nums',
            )}
            aria-hidden
          >
            {named ? title : time}
          </span>
        ) : null}
      </Link>
    </li>
  );
}

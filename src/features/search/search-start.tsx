import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Bookmark, History, Search } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Link } from 'react-router';
import { collectionsOptions } from '../../api/item-groups.ts';
import { highlightsOptions, mediaPageOptions, workspaceOptions } from '../../api/queries.ts';
import { savedSearchesOptions } from '../../api/saved-searches.ts';
import { conceptsOptions } from '../../api/suggestions.ts';
import { countItems, formatTime } from '../../lib/format.ts';
import { useRecentSearches } from '../../lib/recent-searches.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { ExampleSearches, useDescribable } from './example-searches.tsx';
import { PictureStrip, type StripPicture } from './picture-strip.tsx';

/** Most pictures of a strip, and most of each kind of searches. */
const most = { recent: 12, unusual: 8, concepts: 12, collections: 12, searches: 5 };

/** What there is to search for in this library, before anything is typed. */
export function SearchStart() {
  const describable = useDescribable();
  const { data: workspace, isPending } = useQuery(workspaceOptions);
  if (workspace && !workspace.usage.by_status.complete) {
    return (
      <Notice
        page
        icon={Search}
        title="Describe a moment"
        action={
          <Button asChild variant="primary">
            <Link to={paths.library}>Add videos, photos and audio</Link>
          </Button>
        }
      >
        Describe {describable}. What is said and written in videos and photos is searched too, and their names. This
        library has nothing to search yet.
      </Notice>
    );
  }
  return (
    <div className="space-y-7">
      <header>
        <PageTitle>Search</PageTitle>
        <h1 className="text-xl font-semibold">Search this library</h1>
        <p className={clsx('mt-1 max-w-prose text-quiet', isPending && 'invisible')}>
          Describe {describable}.<span className="max-sm:hidden"> What is said and written is found too.</span>
          <span className="pointer-coarse:hidden">
            {' '}
            Press <kbd className="rounded border border-line bg-surface px-1.5">/</kbd> to type, or paste a picture to
            find similar ones.
          </span>
        </p>
      </header>
      {/* What there is depends on the model: all comes at once, so that nothing moves. */}
      {isPending ? null : (
        <>
          <Searches />
          {workspace?.embedder.kind === 'descriptors' ? null : <Concepts />}
          <Unusual />
          <Recent />
          <Collections />
        </>
      )}
    </div>
  );
}

/** Searches of before: what was typed in this browser, and what was saved. Their row has its room before they are there. */
function Searches() {
  const [recent, forget] = useRecentSearches();
  const { data: saved = [], isPending } = useQuery(savedSearchesOptions);
  const id = useId();
  const isEmpty = !isPending && recent.length + saved.length === 0;
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex items-baseline gap-3">
        <h2 id={id} className="text-title font-semibold">
          {isEmpty ? 'Try a search' : 'Recent and saved searches'}
        </h2>
        {recent.length > 0 ? (
          <button type="button" onClick={forget} className="text-label text-quiet hover:text-ink hover:underline">
            Clear recent
          </button>
        ) : null}
      </div>
      <div className="relative -mx-4 flex h-12 [scrollbar-width:none] items-center gap-2 overflow-x-auto px-4 md:mx-0 md:px-1">
        {recent.slice(0, most.searches).map((query) => (
          <Chip key={query} to={paths.searchFor(query)} icon={<History aria-hidden />} text={query} />
        ))}
        {saved.slice(0, most.searches).map((each) => (
          <Chip key={each.id} to={paths.saved(each)} icon={<Bookmark aria-hidden />} text={each.name} />
        ))}
        {isEmpty ? <ExampleSearches /> : null}
      </div>
    </section>
  );
}

const Chip = ({ to, icon, text }: { to: string; icon: ReactNode; text: string }) => (
  <Link
    to={to}
    className="inline-flex h-9 max-w-72 shrink-0 items-center gap-2 rounded-full border border-line bg-surface px-3.5 transition-colors duration-quick hover:bg-raised pointer-coarse:h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-quiet"
  >
    {icon}
    <span className="truncate">{text}</span>
  </Link>
);

/** What the model finds often in the library, each by the moment that shows it best. */
function Concepts() {
  const concepts = useQuery(conceptsOptions(most.concepts));
  const pictures = concepts.data?.data.map(({ name, clip }): StripPicture => ({
    key: name,
    to: paths.searchFor(name),
    name,
    title: name,
    sizes: clip.thumbnails,
    fallback: clip.thumbnail,
  }));
  return (
    <PictureStrip
      title="Often in this library"
      named
      query={{ ...concepts, data: pictures }}
      empty={concepts.data?.meta.reason ?? 'Nothing stands out yet. It needs a few more pictures.'}
    />
  );
}

/** The moments that are least like all others. */
function Unusual() {
  const highlights = useQuery(highlightsOptions({ n: most.unusual }));
  const pictures = highlights.data?.data.map((hit): StripPicture => ({
    key: hit.chunk_id,
    to: `${paths.highlights}?hit=${hit.chunk_id}`,
    name: hit.type !== 'image' ? `${hit.filename}, ${formatTime(hit.start)}` : hit.filename,
    title: hit.filename,
    sizes: hit.thumbnails,
    fallback: hit.thumbnail,
    time: hit.type !== 'image' ? formatTime(hit.start) : undefined,
  }));
  return (
    <PictureStrip
      title="Unusual moments"
      more={{ to: paths.highlights, text: 'All highlights' }}
      query={{ ...highlights, data: pictures }}
      empty="There is too little to compare yet."
    />
  );
}

/** What came last. The library asks for the same page. */
function Recent() {
  const items = useQuery(mediaPageOptions({}, 1));
  const pictures = items.data?.data
    .filter(({ thumbnail }) => thumbnail !== null)
    .slice(0, most.recent)
    .map((item): StripPicture => ({
      key: item.id,
      to: paths.media(item.id),
      name: item.filename,
      title: item.filename,
      sizes: item.thumbnails,
      fallback: item.thumbnail ?? '',
      time: item.duration === null ? undefined : formatTime(item.duration),
    }));
  return (
    <PictureStrip
      title="Added last"
      more={{ to: paths.library, text: 'Open the library' }}
      query={{ ...items, data: pictures }}
      empty="Nothing with a picture yet."
    />
  );
}

/** The collections that changed last. */
function Collections() {
  const collections = useQuery(collectionsOptions);
  const pictures = collections.data
    ?.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
    .slice(0, most.collections)
    .map((each): StripPicture => ({
      key: each.id,
      to: paths.collection(each.id),
      name: `${each.name}, ${countItems(each.media_count)}`,
      title: each.name,
      sizes: [],
      fallback: each.covers[0] ?? '',
    }));
  return (
    <PictureStrip
      title="Collections"
      named
      more={{ to: paths.collections, text: 'All collections' }}
      query={{ ...collections, data: pictures }}
      empty="No collections yet. Select pictures in the library to make one."
    />
  );
}

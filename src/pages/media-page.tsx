import { useQuery } from '@tanstack/react-query';
import { FileQuestion } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../../clients/typescript/api-error.ts';
import type { MediaItem } from '../api/generated/api/index.ts';
import { mediaItemOptions } from '../api/queries.ts';
import { useHasTrash } from '../api/trash.ts';
import { type ItemList, type Neighbour, useItemList } from '../features/item/use-item-list.ts';
import { RatingKeys } from '../features/library/item-stars.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { Filmstrip } from '../features/viewer/filmstrip.tsx';
import { GoneNotice } from '../features/viewer/gone-notice.tsx';
import { useDrawer } from '../features/viewer/info-drawer.tsx';
import { type Preloaded, usePreload } from '../features/viewer/use-preload.ts';
import { useSlideshow } from '../features/viewer/use-slideshow.ts';
import { formatCount } from '../lib/format.ts';
import { type ItemTrail, readTrail } from '../lib/item-trail.ts';
import { libraryAddress } from '../lib/library-place.ts';
import { readItemQuery } from '../lib/search-in.ts';
import { useStoredText } from '../lib/stored-state.ts';
import { useDarkPage } from '../lib/theme.ts';
import { thumbnailOf, usualWidth } from '../lib/thumbnail-of.ts';
import { useKeys } from '../lib/use-keys.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { focusContent } from '../ui/focus-content.ts';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { ViewerBar } from '../ui/viewer-bar.tsx';
import { ViewerFrame } from '../ui/viewer-frame.tsx';
import { BackLink, ItemBar } from '../viewer/item-bar.tsx';
import { ItemDrawer } from '../viewer/item-drawer.tsx';
import { ItemStage } from '../viewer/item-stage.tsx';
import { useItemState } from '../viewer/use-item-state.ts';

/** No event tells that somebody else moved an item to the trash: it is read again at most so often while it is shown. */
const lookMs = 5000;

/** One media item over the whole window. The URL holds its moment and the words that are searched for in it. */
export function MediaPage() {
  const { id = '' } = useParams();
  const { state } = useLocation() as { state: unknown };
  const [search] = useSearchParams();
  useDarkPage();
  const trail = readTrail(state);
  const list = useItemList(id, trail, readItemQuery(search));
  const known = list?.around.find((neighbour) => neighbour.id === id)?.item;
  const media = useQuery({ ...mediaItemOptions(id), refetchInterval: lookMs });
  // What the list says of it is shown until all of it is read.
  const item = media.data ?? known ?? undefined;
  const isGone = media.error instanceof ApiError && [400, 404].includes(media.error.status);
  const reload = async () => (await media.refetch()).data?.url ?? undefined;
  if (isGone && !item) return <NoSuchItem />;
  if (media.isError && !item) {
    return (
      <Instead>
        <QueryFailure error={media.error} onRetry={() => void media.refetch()} />
      </Instead>
    );
  }
  return <Viewer id={id} item={item} trail={trail} list={list} isGone={isGone} reload={reload} />;
}

/** What is said in place of an item. */
const Instead = ({ children }: { children: ReactNode }) => (
  <div className="size-full overflow-y-auto bg-canvas">{children}</div>
);

const NoSuchItem = () => (
  <Instead>
    <Notice
      page
      icon={FileQuestion}
      title="There is no such item"
      action={
        <>
          <LibraryLink />
          <Button asChild>
            <Link to={paths.trash}>Look in the trash</Link>
          </Button>
        </>
      }
    >
      It may have been deleted.
    </Notice>
  </Instead>
);

type ViewerProps = {
  id: string;
  /** Undefined until it is loaded. */
  item: MediaItem | undefined;
  /** The list that led to the item. */
  trail: ItemTrail | null;
  list: ItemList | null;
  /** Whether it was deleted while it is shown. */
  isGone: boolean;
  /** Asks for a new URL of the video. */
  reload: () => Promise<string | undefined>;
};

function Viewer({ id, item, trail, list, isGone, reload }: ViewerProps) {
  const from = trail?.from ?? libraryAddress();
  const { close, goTo } = useWays(from, trail !== null);
  const [previous, next] = [toWay(list?.previous, goTo, 'Previous item'), toWay(list?.next, goTo, 'Next item')];
  const drawer = useDrawer();
  const strip = useStrip(list);
  const slideshow = useSlideshow(id, item?.type === 'image' && item.status === 'complete', next?.go ?? null);
  const state = useItemState(id, item);
  usePreload(toPreload(list?.next));
  usePreload(toPreload(list?.previous));
  useKeys(list ? { s: slideshow.start } : {});
  useFocusedContent();
  useOnOpen(() => {
    if (state.query.q !== '') drawer.open('found');
  });
  const shown = isGone ? undefined : item;
  const leave = (next ?? previous)?.go ?? close;
  return (
    <>
      <ViewerFrame
        ways={list && { previous, next, names: itemNames }}
        onClose={close}
        beside={{ previous: besideOf(list?.previous), next: besideOf(list?.next) }}
        transitionName="opened-media"
        slideshow={slideshow.frame}
        bar={
          shown ? (
            <ItemBar
              {...{ item: shown, from, drawer, strip, leave }}
              onClose={close}
              place={placeOf(list)}
              onSlideshow={list ? slideshow.start : null}
            />
          ) : (
            <EmptyBar from={from} onClose={close} place={placeOf(list)} />
          )
        }
        foot={strip?.isShown ? <Filmstrip current={id} entries={toEntries(list, goTo)} /> : null}
        drawer={shown && drawer.isOpen ? <ItemDrawer item={shown} state={state} onClose={drawer.toggle} /> : null}
      >
        <Stage gone={isGone && item ? { item, next: next?.go ?? null, onRestored: () => void reload() } : null}>
          {item ? (
            <ItemStage key={id} item={item} state={state} autoplay={slideshow.running} reload={reload} />
          ) : (
            <div className="absolute inset-0 animate-pulse bg-raised/30" aria-busy="true" />
          )}
        </Stage>
      </ViewerFrame>
      {shown ? <RatingKeys item={shown} /> : null}
    </>
  );
}

/** @param gone what was deleted while it is shown */
function Stage({
  gone,
  children,
}: {
  gone: { item: MediaItem; next: (() => void) | null; onRestored: () => void } | null;
  children: ReactNode;
}) {
  const hasTrash = useHasTrash();
  if (!gone) return children;
  const { item, next, onRestored } = gone;
  return (
    <GoneNotice id={item.id} name={item.filename} hasTrash={hasTrash} onRestored={onRestored} next={next}>
      {children}
    </GoneNotice>
  );
}

/** The way back alone: of an item that is loading, or gone. */
const EmptyBar = ({ from, onClose, place }: { from: string; onClose: () => void; place: string | undefined }) => (
  <ViewerBar back={<BackLink from={from} onClose={onClose} />} title={null} place={place} actions={[]} />
);

const itemNames = { previous: 'Previous item', next: 'Next item' };

/** The way back to the list, and to another item of it. Back leads to the list from each item. */
function useWays(from: string, isFromList: boolean) {
  const navigate = useNavigate();
  return {
    close: () => {
      const { idx = 0 } = (window.history.state ?? {}) as { idx?: number };
      // Back to the entry of the list, whose place is remembered; by a link to one that this tab has not shown.
      if (isFromList && idx > 0) void navigate(-1);
      else void navigate(from, { viewTransition: true });
    },
    goTo: ({ to, state }: Neighbour) => void navigate(to, { replace: true, state }),
  };
}

const toWay = (neighbour: Neighbour | null | undefined, goTo: (neighbour: Neighbour) => void, label: string) =>
  neighbour ? { label, go: () => goTo(neighbour) } : null;

const besideOf = (neighbour: Neighbour | null | undefined): string | null =>
  neighbour?.item ? thumbnailOf(neighbour.item, usualWidth) : null;

const placeOf = (list: ItemList | null): string | undefined =>
  list?.place ? `${formatCount(list.place)} of ${formatCount(list.total)}` : undefined;

function toPreload(neighbour: Neighbour | null | undefined): Preloaded | null {
  const item = neighbour?.item;
  if (!item?.url) return null;
  return { url: item.preview?.url ?? item.url, type: item.type, poster: item.thumbnail };
}

const toEntries = (list: ItemList | null, goTo: (neighbour: Neighbour) => void) =>
  (list?.around ?? []).map((neighbour) => ({
    id: neighbour.id,
    name: neighbour.item?.filename ?? 'Item',
    thumbnail: neighbour.item && thumbnailOf(neighbour.item, 0),
    ratio: neighbour.item?.width && neighbour.item.height ? neighbour.item.width / neighbour.item.height : 1.5,
    go: () => goTo(neighbour),
  }));

/** Whether the filmstrip is shown, which this browser remembers; a phone that is held upright has no room for it until it is asked for. */
function useStrip(list: ItemList | null) {
  const [stored, store] = useStoredText('viewer-filmstrip');
  if (!list || list.total < 2) return null;
  const isShown = stored === null ? window.matchMedia('(min-width: 40rem)').matches : stored === 'shown';
  return { isShown, toggle: () => store(isShown ? 'hidden' : 'shown') };
}

/** What had the focus in the list is gone here, and what has it here is gone there: the next Tab leads to the first control of each. */
function useFocusedContent(): void {
  useEffect(() => {
    const keep = () => {
      if (document.activeElement === document.body) focusContent();
    };
    keep();
    return () => void setTimeout(keep);
  }, []);
}

/** Calls back once, when the page opens. */
function useOnOpen(onOpen: () => void): void {
  const open = useEffectEvent(onOpen);
  useEffect(() => open(), []);
}

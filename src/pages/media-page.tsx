import { useQuery } from '@tanstack/react-query';
import { Download, FileQuestion, ScanSearch } from 'lucide-react';
import { type ComponentProps, type RefObject, Suspense, useRef, useState } from 'react';
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../../clients/typescript/api-error.ts';
import type { MediaItem } from '../api/generated/api/index.ts';
import { lazyPart } from '../api/parts.ts';
import { chunksOptions, mediaItemOptions } from '../api/queries.ts';
import { AddSpanButton } from '../features/basket/basket-toggle.tsx';
import { ExportClipButton } from '../features/export/export-clip-button.tsx';
import { ItemGroups } from '../features/groups/item-groups.tsx';
import { FindInside } from '../features/item/find-inside.tsx';
import { ItemDetails } from '../features/item/item-details.tsx';
import { ItemHeader } from '../features/item/item-header.tsx';
import { ItemPreview } from '../features/item/item-preview.tsx';
import { type ItemHits, useItemHits } from '../features/item/use-item-hits.ts';
import { useItemQuery } from '../features/item/use-item-query.ts';
import { useMoment } from '../features/item/use-moment.ts';
import { useNeighbours } from '../features/item/use-neighbours.ts';
import { DeleteButton, RetryButton } from '../features/library/item-actions.tsx';
import { LabelEditor } from '../features/library/label-editor.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { StatusBadge } from '../features/library/status-badge.tsx';
import { type PlayerHandle, SpanPlayer } from '../features/player/span-player.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { type ReviewState, useReview } from '../features/review/use-review.ts';
import { SearchInMenu } from '../features/search/search-in-menu.tsx';
import { ShareButton } from '../features/share/share-button.tsx';
import type { Shareable } from '../features/share/shareable.ts';
import { boxedTexts, type FoundText, type TextMatch as Match } from '../lib/found-text.ts';
import { readTrail } from '../lib/item-trail.ts';
import { createClock, type PlaybackClock } from '../lib/playback-clock.ts';
import { readItemQuery } from '../lib/search-in.ts';
import { readMoment } from '../lib/timecode.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';
import { TextMatch } from '../ui/text-match.tsx';

const TranscriptPanel = lazyPart(
  async () => (await import('../features/transcript/transcript-panel.tsx')).TranscriptPanel,
);
const PhotoTexts = lazyPart(async () => (await import('../features/transcript/photo-texts.tsx')).PhotoTexts);
const CommentsPanel = lazyPart(async () => (await import('../features/review/comments-panel.tsx')).CommentsPanel);
const CommentMarks = lazyPart(async () => (await import('../features/review/comment-marks.tsx')).CommentMarks);
const CommentPoints = lazyPart(async () => (await import('../features/review/comment-points.tsx')).CommentPoints);
const ZoomImage = lazyPart(async () => (await import('../features/player/zoom-image.tsx')).ZoomImage);

/** One media item: player or image, what is found in it, what is known of it. The URL holds its moment and the words that are searched for in it. */
export function MediaPage() {
  const { id = '' } = useParams();
  const media = useQuery(mediaItemOptions(id));
  if (media.isError && !media.data) {
    const gone = media.error instanceof ApiError && (media.error.status === 404 || media.error.status === 400);
    if (!gone) return <QueryFailure error={media.error} onRetry={() => void media.refetch()} />;
    return (
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
    );
  }
  return (
    <>
      <Header id={id} item={media.data} />
      {media.data ? (
        <Item item={media.data} reload={async () => (await media.refetch()).data?.url ?? undefined} />
      ) : (
        <div className="aspect-video max-w-4xl animate-pulse rounded-card bg-raised" aria-busy="true" />
      )}
    </>
  );
}

/** @param reload asks for a new URL of the video */
function Item({ item, reload }: { item: MediaItem; reload: () => Promise<string | undefined> }) {
  const player = useRef<PlayerHandle>(null);
  const [clock] = useState(createClock);
  const review = useReview();
  const isVideo = item.type === 'video' && item.url !== null;
  const ofPlayer = isVideo ? { clock, onSeek: (time: number) => player.current?.seek(time) } : {};
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]">
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-5">
        {isVideo ? (
          <Video key={item.id} item={item} reload={reload} player={player} clock={clock} review={review} />
        ) : (
          <Photo key={item.id} item={item} review={review} />
        )}
      </div>
      <div className="grid min-w-0 gap-5">
        <ItemDetails item={item} badge={<StatusBadge item={item} />}>
          <LabelEditor item={item} />
          <div className="mt-4 border-t border-line pt-4">
            <ItemGroups item={item} />
          </div>
        </ItemDetails>
        {item.status === 'complete' ? (
          <div className="rounded-card border border-line bg-surface p-4">
            <Suspense fallback={<div className="h-48 animate-pulse rounded-control bg-raised" aria-busy="true" />}>
              <CommentsPanel key={item.id} item={item} review={review} {...ofPlayer} />
            </Suspense>
          </div>
        ) : null}
      </div>
    </div>
  );
}

/** @param item undefined until it is loaded */
function Header({ id, item }: { id: string; item: MediaItem | undefined }) {
  const { state } = useLocation() as { state: unknown };
  const [search] = useSearchParams();
  const trail = readTrail(state);
  const neighbours = useNeighbours(id, trail, readItemQuery(search));
  return (
    <ItemHeader item={item} trail={trail} neighbours={neighbours}>
      {item ? <Actions item={item} /> : null}
    </ItemHeader>
  );
}

/** What can be done with an item. */
function Actions({ item }: { item: MediaItem }) {
  const [search] = useSearchParams();
  const shareable = useShareable(item);
  return (
    <>
      <ShowRequest of={mediaItemOptions(item.id)} />
      {item.status === 'complete' ? <ExportItem item={item} moment={Number(search.get('t') ?? 0)} /> : null}
      <Button asChild>
        <a href={item.download_url} download>
          <Download aria-hidden />
          <span className="max-sm:sr-only">Download</span>
        </a>
      </Button>
      {item.status === 'complete' ? <ShareButton of={shareable} /> : null}
      <DeleteButton item={item} />
    </>
  );
}

/** Seconds of a clip that are proposed from a moment on. */
const proposedSeconds = 10;

/** Exports a clip that begins at a moment (seconds), or the photo. */
function ExportItem({ item, moment }: { item: MediaItem; moment: number }) {
  const duration = item.duration ?? 0;
  const start = moment > 0 && moment < duration ? moment : 0;
  return (
    <ExportClipButton
      clip={{ mediaId: item.id, type: item.type, start, end: Math.min(duration, start + proposedSeconds) }}
      renderMore={(span) => <AddSpanButton item={item} span={span} />}
    />
  );
}

/**
 * The player of a video, and below it what is found and read in it.
 * @param reload asks for a new URL of the video
 */
function Video({
  item,
  reload,
  player,
  clock,
  review,
}: {
  item: MediaItem;
  reload: () => Promise<string | undefined>;
  player: RefObject<PlayerHandle | null>;
  clock: PlaybackClock;
  review: ReviewState;
}) {
  const navigate = useNavigate();
  const jump = (time: number) => player.current?.seek(time);
  const [moment, follow] = useMoment(jump);
  const [query, setQuery] = useItemQuery();
  const hits = useItemHits(item.id, query);
  const [asked, setAsked] = useState<FoundText[]>([]);
  const chunks = useQuery({ ...chunksOptions(item.id), enabled: item.status === 'complete' }).data ?? [];
  const { id, url, thumbnail, filename: title, duration } = item;
  return (
    <>
      <ItemPreview item={item} retry={<RetryButton item={item} />}>
        <SpanPlayer
          ref={player}
          clip={{ id, url: url ?? '', poster: thumbnail ?? '', start: 0, end: duration ?? 0, title }}
          begin={moment ?? 0}
          chunks={chunks}
          texts={boxedTexts([...matchesOf(hits), ...asked])}
          marks={query.q === '' ? [] : hits.shown.map((hit) => ({ ...hit, id: hit.chunk_id }))}
          overlay={<PointsLayer item={item} review={review} clock={clock} />}
          onTimeline={<MarksLayer item={item} review={review} onSeek={jump} />}
          frameRate={item.details?.video?.frame_rate}
          mediaId={id}
          linkTo={(t) => paths.media(id, { t, ...query })}
          onTime={clock.set}
          onMoment={follow}
          onFindSimilar={(at) => void navigate(paths.searchLike(id, { at }))}
          onReload={reload}
        />
      </ItemPreview>
      {item.status === 'complete' ? (
        <FindInside
          query={query}
          hits={hits}
          places={<SearchInMenu searchedIn={query.in} onChange={(places) => setQuery({ in: places })} />}
          onSearch={setQuery}
          onJump={jump}
        />
      ) : null}
      {item.status === 'complete' ? (
        <Transcript item={item} clock={clock} player={player} onShowText={(text) => setAsked([text])} />
      ) : null}
    </>
  );
}

/** What is said and shown in a video, line by line, beside its player. */
const Transcript = ({
  item,
  clock,
  player,
  onShowText,
}: {
  item: MediaItem;
  clock: PlaybackClock;
  player: RefObject<PlayerHandle | null>;
  onShowText: (text: FoundText) => void;
}) => (
  <Suspense fallback={null}>
    <TranscriptPanel
      item={item}
      clock={clock}
      onPlay={(time) => player.current?.playFrom(time)}
      onShowText={(text) => {
        onShowText(text);
        player.current?.playFrom(text.start);
        player.current?.bringIntoView();
      }}
      retry={<RetryButton item={item} />}
    />
  </Suspense>
);

/** The comments of a video over its picture, and on its timeline. */
const PointsLayer = (props: ComponentProps<typeof CommentPoints>) => (
  <Suspense>
    <CommentPoints {...props} />
  </Suspense>
);
const MarksLayer = (props: ComponentProps<typeof CommentMarks>) => (
  <Suspense>
    <CommentMarks {...props} />
  </Suspense>
);

/** What a link to the item is made to: the ten seconds from the moment in the URL are offered, or else the whole item. */
function useShareable({ id, type, duration }: MediaItem): Shareable {
  const [search] = useSearchParams();
  const start = readMoment(search.get('t'));
  if (type === 'image' || start === null || duration === null || start >= duration) return { id, type };
  return { id, type, moment: { start, end: Math.min(duration, start + 10) } };
}

/** The texts that answer the words. */
const matchesOf = ({ shown, weak }: ItemHits): Match[] =>
  [...shown, ...weak].flatMap(({ signals }) => signals.matches ?? []);

/** A photograph, the texts in it that answer the words in the URL, and all that can be read in it. */
function Photo({ item, review }: { item: MediaItem; review: ReviewState }) {
  const [query] = useItemQuery();
  const matches = matchesOf(useItemHits(item.id, query));
  const [asked, setAsked] = useState<{ texts: FoundText[]; count: number }>({ texts: [], count: 0 });
  const show = (text: FoundText) => setAsked(({ count }) => ({ texts: [text], count: count + 1 }));
  const texts = boxedTexts(asked.count === 0 ? matches : asked.texts);
  return (
    <>
      <ItemPreview item={item} retry={<RetryButton item={item} />}>
        <Suspense fallback={<div className="aspect-video animate-pulse bg-raised" aria-busy="true" />}>
          <ZoomImage
            url={item.url ?? ''}
            name={item.filename}
            texts={texts}
            asked={asked.count}
            overlay={<CommentPoints item={item} review={review} />}
          />
        </Suspense>
        <div className="border-t border-line px-3 py-2">
          {query.q !== '' && matches.length > 0 ? <Matches matches={matches} onShow={show} /> : null}
          <Button asChild variant="quiet">
            <Link to={paths.searchLike(item.id)}>
              <ScanSearch aria-hidden />
              Find similar
            </Link>
          </Button>
        </div>
      </ItemPreview>
      {item.type === 'image' && item.status === 'complete' ? (
        <Suspense fallback={null}>
          <PhotoTexts item={item} retry={<RetryButton item={item} />} onShow={show} />
        </Suspense>
      ) : null}
    </>
  );
}

const Matches = ({ matches, onShow }: { matches: Match[]; onShow: (match: Match) => void }) => (
  <ul aria-label="Texts that match" className="mb-1 space-y-1 px-1 pt-1">
    {matches.map((match, i) => (
      // oxlint-disable-next-line react/no-array-index-key -- the texts of a hit never change places
      <li key={i}>
        <TextMatch match={match} type="image" onShow={() => onShow(match)} />
      </li>
    ))}
  </ul>
);

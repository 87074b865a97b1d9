import { Suspense } from 'react';
import { useNavigate } from 'react-router';
import { useFreshTexts } from '../api/captions.ts';
import type { MediaItem } from '../api/generated/api/index.ts';
import { lazyPart } from '../api/parts.ts';
import { ItemPreview } from '../features/item/item-preview.tsx';
import { useMoment } from '../features/item/use-moment.ts';
import { canRetry, RetryButton } from '../features/library/item-actions.tsx';
import { SpanPlayer } from '../features/player/span-player.tsx';
import { boxedTexts } from '../lib/found-text.ts';
import { thumbnailOf, usualWidth } from '../lib/thumbnail-of.ts';
import { paths } from '../paths.ts';
import type { ItemState } from './use-item-state.ts';

const CommentMarks = lazyPart(async () => (await import('../features/review/comment-marks.tsx')).CommentMarks);
const CommentPoints = lazyPart(async () => (await import('../features/review/comment-points.tsx')).CommentPoints);
const PhotoStage = lazyPart(async () => (await import('../features/player/photo-stage.tsx')).PhotoStage);

type StageProps = {
  item: MediaItem;
  state: ItemState;
  /** Whether a video plays by itself. */
  autoplay: boolean;
  /** Asks for a new URL of the video. */
  reload: () => Promise<string | undefined>;
};

/** The player or the picture of an item, or how far it is. Each item has its own. */
export function ItemStage(props: StageProps) {
  // Also while no transcript is shown: captions come from the same texts.
  useFreshTexts(props.item);
  return (
    <ItemPreview item={props.item} retry={canRetry(props.item) ? <RetryButton item={props.item} /> : null}>
      {props.item.type !== 'image' ? <Video {...props} /> : <Photo item={props.item} state={props.state} />}
    </ItemPreview>
  );
}

function Video({ item, state, autoplay, reload }: StageProps) {
  const navigate = useNavigate();
  const { player, clock, query, hits, matches, asked, chunks } = state;
  const [moment, follow] = useMoment((time) => player.current?.seek(time));
  const { id, type, url, thumbnail, filename: title, duration } = item;
  return (
    <SpanPlayer
      ref={player}
      clip={{ id, type, url: url ?? '', poster: thumbnail ?? '', start: 0, end: duration ?? 0, title }}
      begin={moment ?? 0}
      autoplay={autoplay}
      chunks={chunks}
      texts={boxedTexts([...matches, ...asked.texts])}
      overlay={
        <Suspense>
          <CommentPoints item={item} review={state.review} clock={clock} />
        </Suspense>
      }
      onTimeline={
        <Suspense>
          <CommentMarks item={item} review={state.review} onSeek={(time) => player.current?.seek(time)} />
        </Suspense>
      }
      marks={query.q === '' ? [] : hits.shown.map((hit) => ({ ...hit, id: hit.chunk_id }))}
      frameRate={item.details?.video?.frame_rate}
      mediaId={id}
      linkTo={(t) => paths.media(id, { t, ...query })}
      onTime={clock.set}
      onMoment={follow}
      // Nothing is seen in a recording.
      {...(type === 'audio' ? {} : { onFindSimilar: (at: number) => void navigate(paths.searchLike(id, { at })) })}
      onReload={reload}
    />
  );
}

/** A photograph, the texts in it that answer the words in the URL, or the one that was asked for. */
function Photo({ item, state: { matches, asked, review } }: { item: MediaItem; state: ItemState }) {
  const { url, filename: name, width, height } = item;
  const thumbnail = thumbnailOf(item, usualWidth);
  const size = width === null || height === null ? null : { width, height };
  return (
    <Suspense
      fallback={
        thumbnail === null ? null : <img src={thumbnail} alt="" className="absolute inset-0 size-full object-contain" />
      }
    >
      <PhotoStage
        photo={{ name, url: url ?? '', preview: item.preview, thumbnail, size }}
        texts={boxedTexts(asked.count === 0 ? matches : asked.texts)}
        asked={asked.count}
        overlay={
          <Suspense>
            <CommentPoints item={item} review={review} />
          </Suspense>
        }
      />
    </Suspense>
  );
}

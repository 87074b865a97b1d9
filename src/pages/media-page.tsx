import { useQuery } from '@tanstack/react-query';
import { Download, FileQuestion, ScanSearch } from 'lucide-react';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/client.ts';
import type { MediaItem } from '../api/generated/api/index.ts';
import { chunksOptions, mediaItemOptions } from '../api/queries.ts';
import { ItemDetails } from '../features/item/item-details.tsx';
import { ItemHeader } from '../features/item/item-header.tsx';
import { ItemPreview } from '../features/item/item-preview.tsx';
import { DeleteButton, RetryButton } from '../features/library/item-actions.tsx';
import { LabelEditor } from '../features/library/label-editor.tsx';
import { LibraryLink } from '../features/library/library-link.tsx';
import { StatusBadge } from '../features/library/status-badge.tsx';
import { SpanPlayer } from '../features/player/span-player.tsx';
import { ShowRequest } from '../features/request/show-request.tsx';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** One media item: player or image, what is known of it, download, delete. */
export function MediaPage() {
  const { id = '' } = useParams();
  const media = useQuery(mediaItemOptions(id));
  if (media.isError && !media.data) {
    const gone = media.error instanceof ApiError && (media.error.status === 404 || media.error.status === 400);
    if (!gone) return <QueryFailure error={media.error} onRetry={() => void media.refetch()} />;
    return (
      <Notice page icon={FileQuestion} title="There is no such item" action={<LibraryLink />}>
        It may have been deleted.
      </Notice>
    );
  }
  if (!media.data)
    return <div className="aspect-video max-w-4xl animate-pulse rounded-card bg-raised" aria-busy="true" />;
  const item = media.data;
  return (
    <>
      <ItemHeader item={item}>
        <ShowRequest of={mediaItemOptions(id)} />
        <Button asChild>
          <a href={item.download_url} download>
            <Download aria-hidden />
            Download
          </a>
        </Button>
        <DeleteButton item={item} />
      </ItemHeader>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <ItemPreview item={item} retry={<RetryButton item={item} />}>
          {item.type === 'video' ? <Video item={item} /> : <Photo item={item} />}
        </ItemPreview>
        <ItemDetails item={item} badge={<StatusBadge item={item} />}>
          <LabelEditor item={item} />
        </ItemDetails>
      </div>
    </>
  );
}

function Video({ item }: { item: MediaItem }) {
  const navigate = useNavigate();
  const media = useQuery(mediaItemOptions(item.id));
  const chunks = useQuery({ ...chunksOptions(item.id), enabled: item.status === 'complete' });
  return (
    <SpanPlayer
      clip={{
        id: item.id,
        url: item.url ?? '',
        poster: item.thumbnail ?? '',
        start: 0,
        end: item.duration ?? 0,
        title: item.filename,
      }}
      linkTo={(t) => paths.media(item.id, { t })}
      onReload={async () => (await media.refetch()).data?.url ?? undefined}
      chunks={chunks.data ?? []}
      onFindSimilar={(at) => void navigate(paths.searchLike(item.id, { at }))}
    />
  );
}

const Photo = ({ item }: { item: MediaItem }) => (
  <>
    <img src={item.url ?? ''} alt={item.filename} className="mx-auto max-h-[75dvh] object-contain" />
    <div className="border-t border-line px-3 py-2">
      <Button asChild variant="quiet">
        <Link to={paths.searchLike(item.id)}>
          <ScanSearch aria-hidden />
          Find similar
        </Link>
      </Button>
    </div>
  </>
);

import { useQuery } from '@tanstack/react-query';
import { FileVideo, FileX, ScanSearch } from 'lucide-react';
import { maxQueryVideoBytes } from '../../../contract/query-video.ts';
import { videoSearchOptions } from '../../api/copies.ts';
import { countItems, formatBytes } from '../../lib/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { CopyRows } from './copy-rows.tsx';

/** Where a video is used that was dropped or chosen. */
export function VideoResults({ file, name }: { file: File; name: string }) {
  const isTooLarge = file.size > maxQueryVideoBytes;
  const found = useQuery({ ...videoSearchOptions(file, name), enabled: !isTooLarge });
  const copies = found.data?.data ?? [];
  return (
    <>
      <PageTitle>{`Where ${file.name} is used`}</PageTitle>
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1">
        <FileVideo className="size-5 text-quiet" aria-hidden />
        <h1 className="min-w-0 truncate text-xl font-semibold">Where {file.name} is used</h1>
        {copies.length > 0 ? <p className="text-quiet tabular-nums">{countItems(copies.length)}</p> : null}
      </div>
      {isTooLarge ? (
        <Notice icon={FileX} title="This video is too large to search by">
          It is {formatBytes(file.size)}, and the limit is {formatBytes(maxQueryVideoBytes)}. Cut out the part that you
          look for, or upload the video: where it is used is then shown beside it.
        </Notice>
      ) : null}
      {found.isLoading ? (
        <div className="max-w-3xl">
          <p className="mb-3 text-quiet" role="status">
            The video is sent and compared. That takes a few seconds, a long one up to some minutes.
          </p>
          <PanelSkeleton rows={3} />
        </div>
      ) : null}
      {found.isError ? <QueryFailure error={found.error} onRetry={() => void found.refetch()} /> : null}
      {found.isSuccess && copies.length === 0 ? (
        <Notice icon={ScanSearch} title="It is used nowhere">
          No item of the library shows the same footage. To find what looks alike, search by a picture of it.
        </Notice>
      ) : null}
      {copies.length > 0 ? (
        <div className="max-w-3xl rounded-card border border-line bg-surface p-4">
          <CopyRows item={null} copies={copies} label="Items that show the same" />
        </div>
      ) : null}
    </>
  );
}

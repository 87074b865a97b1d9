import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { SourceFile } from '../../api/generated/api/index.ts';
import { failedFilesOptions } from '../../api/sources.ts';
import { formatCount } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Panel, PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';

/** The files of a source that could not be taken or indexed, each with the reason. */
export function FailedFiles({ source }: { source: string }) {
  const failed = useInfiniteQuery(failedFilesOptions(source));
  const files = failed.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = failed.data?.pages[0]?.meta.total ?? 0;
  if (failed.isSuccess && total === 0) return null;
  return (
    <Panel title={total === 0 ? 'Not indexed' : `Not indexed: ${formatCount(total)}`}>
      {failed.isPending ? <PanelSkeleton /> : null}
      {failed.isError && !failed.data ? (
        <QueryFailure error={failed.error} onRetry={() => void failed.refetch()} />
      ) : null}
      <ul aria-label="Files that were not indexed" className="divide-y divide-line">
        {files.map((file) => (
          <FailedFile key={file.path} file={file} />
        ))}
      </ul>
      {failed.hasNextPage ? (
        <Button className="mt-3" disabled={failed.isFetchingNextPage} onClick={() => void failed.fetchNextPage()}>
          {failed.isFetchingNextPage ? 'Loading…' : 'Show more'}
        </Button>
      ) : null}
    </Panel>
  );
}

const FailedFile = ({ file: { path, media_id: media, problem } }: { file: SourceFile }) => (
  <li className="py-2">
    {media === null ? (
      <p className="wrap-anywhere">{path}</p>
    ) : (
      <Link to={paths.media(media)} className="wrap-anywhere hover:underline">
        {path}
      </Link>
    )}
    <p className="text-xs leading-relaxed text-danger">{problem?.message ?? 'It could not be indexed.'}</p>
  </li>
);

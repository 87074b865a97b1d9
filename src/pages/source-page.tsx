import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { ArrowLeft, FolderX } from 'lucide-react';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError } from '../../clients/typescript/api-error.ts';
import type { Source } from '../api/generated/api/index.ts';
import { sourceOptions, useMayChangeSources } from '../api/sources.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { describeState, mayBeDeleted, nameState } from '../features/sources/describe-source.ts';
import { FailedFiles } from '../features/sources/failed-files.tsx';
import { FolderTree } from '../features/sources/folder-tree.tsx';
import { SourceBadge } from '../features/sources/source-badge.tsx';
import {
  AcceptMissing,
  EditButton,
  PauseButton,
  RemoveButton,
  ScanButton,
} from '../features/sources/source-changes.tsx';
import { SourceFacts } from '../features/sources/source-facts.tsx';
import { SourceProgress } from '../features/sources/source-progress.tsx';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Panel, PanelSkeleton } from '../ui/panel.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** A source: its state, what it holds, its folders, and what could not be indexed. */
export function SourcePage() {
  const { id = '' } = useParams();
  const source = useQuery(sourceOptions(id));
  if (source.error instanceof ApiError && [400, 404].includes(source.error.status)) return <NoSuchSource />;
  if (source.isError && !source.data) {
    return <QueryFailure error={source.error} onRetry={() => void source.refetch()} />;
  }
  if (!source.data) {
    return (
      <div className="max-w-5xl">
        <PanelSkeleton rows={8} />
      </div>
    );
  }
  return <Shown source={source.data} />;
}

const NoSuchSource = () => (
  <Notice
    page
    icon={FolderX}
    title="There is no such source"
    action={
      <Button asChild variant="primary">
        <Link to={paths.settings('sources')}>All sources</Link>
      </Button>
    }
  >
    It may have been removed.
  </Notice>
);

function Shown({ source }: { source: Source }) {
  const { id, name } = source;
  return (
    <div className="max-w-5xl">
      <PageTitle>{name}</PageTitle>
      <Link
        to={paths.settings('sources')}
        className="mb-2 -ml-1 inline-flex items-center gap-1 rounded-control px-1 text-label text-quiet hover:text-ink pointer-coarse:min-h-11"
      >
        <ArrowLeft className="size-4" aria-hidden />
        All sources
      </Link>
      <Heading source={source} />
      <State source={source} />
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0 space-y-5">
          <Panel title="Folders" description="Each leads to what lies in it, and below it.">
            <FolderTree source={id} scanning={source.state === 'scanning'} />
          </Panel>
          <FailedFiles source={id} />
        </div>
        <Panel title="What it holds">
          <SourceFacts source={source} />
        </Panel>
      </div>
    </div>
  );
}

function Heading({ source }: { source: Source }) {
  const { id, name, location, managed } = source;
  const navigate = useNavigate();
  const mayChange = useMayChangeSources();
  return (
    <div className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-72">
        <h1 className="text-xl font-semibold wrap-anywhere">{name}</h1>
        <p className="flex items-center gap-1">
          <code className="min-w-0 text-label wrap-anywhere text-quiet">{location}</code>
          <CopyButton text={location} label="Copy the path of the source" />
        </p>
      </div>
      <span className="flex flex-wrap items-center gap-1.5">
        <ShowRequest of={sourceOptions(id)} />
        <ScanButton source={source} />
        {mayChange && !managed ? (
          <>
            <PauseButton source={source} />
            <EditButton source={source} />
            <RemoveButton source={source} onRemoved={() => void navigate(paths.settings('sources'))} />
          </>
        ) : null}
      </span>
      {managed ? (
        <p className="-mt-2 basis-full text-xs text-quiet">
          The operator of this server added it, and changes or removes it.
        </p>
      ) : null}
    </div>
  );
}

/** What happens to the source at the moment, how far that is, and what a person has to decide. */
function State({ source }: { source: Source }) {
  const mayChange = useMayChangeSources();
  const isBad = nameState(source).tone === 'danger';
  return (
    <section
      aria-label="State"
      className={clsx(
        'mb-5 space-y-3 rounded-card border bg-surface px-4 py-3.5 sm:px-5',
        isBad ? 'border-danger/50' : 'border-line',
      )}
    >
      <div className="flex items-start gap-3 max-sm:flex-col max-sm:gap-1.5">
        <SourceBadge source={source} />
        <p role="status" className="min-w-0 leading-relaxed">
          {describeState(source)}
        </p>
      </div>
      {!mayBeDeleted(source) ? null : mayChange ? (
        <AcceptMissing source={source} />
      ) : (
        <p className="text-quiet">Only an owner of the workspace can say here that the files were deleted.</p>
      )}
      <SourceProgress source={source} />
    </section>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { Link } from 'react-router';
import { connection } from '../api/connection.ts';
import type { Workspace } from '../api/generated/api/index.ts';
import { workspaceOptions } from '../api/queries.ts';
import { sessionOptions } from '../api/session.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { LostMediaPanel } from '../features/workspace/lost-media-panel.tsx';
import { QuotaBars } from '../features/workspace/quota-bars.tsx';
import { UsageChart } from '../features/workspace/usage-chart.tsx';
import { formatBytes, formatCount, formatDate } from '../lib/format.ts';
import { type MediaStatus, mediaStatuses, mediaStatusIds } from '../lib/media-status.ts';
import { paths } from '../paths.ts';
import { Panel, PanelSkeleton } from '../ui/panel.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { QueryFailure } from '../ui/query-failure.tsx';

/** Plan, quota, usage and the embedder at work. */
export function WorkspacePage() {
  const workspace = useQuery(workspaceOptions);
  const session = useQuery({ ...sessionOptions, enabled: !connection }).data;
  if (workspace.isError && !workspace.data) {
    return <QueryFailure error={workspace.error} onRetry={() => void workspace.refetch()} />;
  }
  if (!workspace.data) {
    return (
      <div className="max-w-5xl">
        <PanelSkeleton rows={8} />
      </div>
    );
  }
  const { name, created_at, plan, usage, embedder } = workspace.data;
  return (
    <>
      <div className="mb-5 flex max-w-5xl flex-wrap items-baseline gap-x-3 gap-y-1">
        <h1 className="text-xl font-semibold">{name}</h1>
        <p className="text-quiet">since {formatDate(created_at)}</p>
        <span className="ml-auto self-center">
          <ShowRequest of={workspaceOptions} />
        </span>
      </div>
      <div className="grid max-w-5xl grid-cols-1 items-start gap-5 lg:grid-cols-2">
        {session?.workspace.role === 'owner' ? (
          <div className="min-w-0 empty:hidden lg:col-span-2">
            <LostMediaPanel />
          </div>
        ) : null}
        <div className="lg:col-span-2">
          <Panel title={`Plan: ${plan.name}`} description="Limits are set by the operator of this service.">
            <QuotaBars workspace={workspace.data} />
          </Panel>
        </div>
        <div className="lg:col-span-2">
          <Panel title="Usage over 30 days">
            <UsageChart history={usage.history} />
          </Panel>
        </div>
        <Panel title="Media">
          <MediaCounts usage={usage} />
        </Panel>
        <Panel title="Embedder">
          <EmbedderState embedder={embedder} />
        </Panel>
      </div>
    </>
  );
}

/** The counts start with the items that can be searched. */
const countOrder: Record<MediaStatus, number> = { complete: 0, indexing: 1, pending: 2, error: 3 };

function MediaCounts({ usage }: { usage: Workspace['usage'] }) {
  const rows = [
    ...mediaStatusIds
      .toSorted((a, b) => countOrder[a] - countOrder[b])
      .map((status) => ({
        text: mediaStatuses[status].text,
        count: usage.by_status[status],
        to: `/?status=${status}`,
      })),
    { text: 'Videos', count: usage.by_type.video, to: '/?type=video' },
    { text: 'Images', count: usage.by_type.image, to: '/?type=image' },
  ];
  return (
    <ul className="divide-y divide-line">
      {rows.map(({ text, count, to }) => (
        <li key={text}>
          <Link to={to} className="flex justify-between py-2 hover:text-accent">
            <span>{text}</span>
            <span className="tabular-nums">{formatCount(count)}</span>
          </Link>
        </li>
      ))}
      <li className="flex justify-between py-2">
        <span>Chunks that can be found</span>
        <span className="tabular-nums">{formatCount(usage.chunks)}</span>
      </li>
    </ul>
  );
}

function EmbedderState({ embedder }: { embedder: Workspace['embedder'] }) {
  const { id, kind, dimensions, reindexing, target, download, problem } = embedder;
  return (
    <div className="space-y-3">
      <p>
        <code className="break-all">{id}</code>
        <span className="text-quiet"> · {formatCount(dimensions)} dimensions</span>
      </p>
      {problem ? (
        <p role="alert" className="rounded-control bg-danger-soft px-3 py-2.5 leading-relaxed text-danger">
          {problem} The built-in embedder is used instead.
        </p>
      ) : null}
      {download ? (
        <div>
          <p className="mb-2 tabular-nums">
            Fetching {download.model}: {formatBytes(download.done)} of {formatBytes(download.total)}
          </p>
          <ProgressBar fraction={download.done / Math.max(1, download.total)} label={`Downloading ${download.model}`} />
        </div>
      ) : null}
      {reindexing ? (
        <div>
          <p className="mb-2 tabular-nums">
            Re-embedding with <code className="break-all">{target}</code>: {formatCount(reindexing.done)} of{' '}
            {formatCount(reindexing.total)} items. Searches use the current embedder until then.
          </p>
          <ProgressBar fraction={reindexing.done / Math.max(1, reindexing.total)} label="Re-embedding" />
        </div>
      ) : null}
      {kind === 'descriptors' ? (
        <div className="flex gap-2 rounded-control bg-raised px-3 py-2.5 leading-relaxed text-quiet">
          <Info className="mt-0.5 size-4 shrink-0" aria-hidden />
          <div className="min-w-0">
            <p>
              This embedder needs no model. It recognises colours, light, texture and motion, but no objects: “dog”
              finds texts and file names only. <Link to={paths.searchFor('blue sky')}>Try “blue sky”</Link>.
            </p>
            {target === id && !download ? (
              <>
                <p className="mt-2">
                  To find objects and scenes, download a model on the service's machine and restart the service:
                </p>
                <code className="mt-1 block overflow-x-auto text-xs whitespace-nowrap text-ink">
                  npm run --silent admin -- model pull siglip-base-patch16-224
                </code>
              </>
            ) : null}
          </div>
        </div>
      ) : null}
    </div>
  );
}

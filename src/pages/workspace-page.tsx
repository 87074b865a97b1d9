import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { connection } from '../api/connection.ts';
import type { Workspace } from '../api/generated/api/index.ts';
import { workspaceOptions } from '../api/queries.ts';
import { sessionOptions } from '../api/session.ts';
import { ShowRequest } from '../features/request/show-request.tsx';
import { EmbedderState } from '../features/workspace/embedder-state.tsx';
import { LostMediaPanel } from '../features/workspace/lost-media-panel.tsx';
import { OpenUploadsPanel } from '../features/workspace/open-uploads-panel.tsx';
import { QuotaBars } from '../features/workspace/quota-bars.tsx';
import { ReferencedBytes } from '../features/workspace/referenced-bytes.tsx';
import { TextReading } from '../features/workspace/text-reading.tsx';
import { UsageChart } from '../features/workspace/usage-chart.tsx';
import { formatCount, formatDate } from '../lib/format.ts';
import { type MediaStatus, mediaStatuses, mediaStatusIds } from '../lib/media-status.ts';
import { PageTitle } from '../ui/page-title.tsx';
import { Panel, PanelSkeleton } from '../ui/panel.tsx';
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
      <PageTitle>{name}</PageTitle>
      <div className="mb-5 flex max-w-5xl flex-wrap items-baseline gap-x-3 gap-y-1">
        <h1 className="text-xl font-semibold">{name}</h1>
        <p className="text-quiet">Created {formatDate(created_at)}</p>
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
        <div className="min-w-0 space-y-5 lg:col-span-2">
          <Panel title={`Plan: ${plan.name}`} description="Limits are set by the administrator of this server.">
            <QuotaBars workspace={workspace.data} />
            <ReferencedBytes />
          </Panel>
          <OpenUploadsPanel />
        </div>
        <div className="lg:col-span-2">
          <Panel title="Usage over 30 days">
            <UsageChart history={usage.history} />
          </Panel>
        </div>
        <Panel title="Media">
          <MediaCounts usage={usage} />
        </Panel>
        <Panel title="What searches understand">
          <EmbedderState embedder={embedder} />
        </Panel>
        <Panel
          title="Reading text"
          description="What is written and said in items is read in the background, when nothing else is to be done."
        >
          <TextReading reading={workspace.data.text_extraction} usage={usage} at={workspace.dataUpdatedAt} />
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
    { text: 'Audio', count: usage.by_type.audio, to: '/?type=audio' },
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
        <span>Indexed scenes</span>
        <span className="tabular-nums">{formatCount(usage.chunks)}</span>
      </li>
    </ul>
  );
}

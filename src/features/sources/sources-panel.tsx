import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { Source } from '../../api/generated/api/index.ts';
import { followedSourcesOptions, sourceRootsOptions } from '../../api/sources.ts';
import { formatBytes } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { AddSourceDialog } from './add-source-dialog.tsx';
import { countFiles, describeAddable, describeState } from './describe-source.ts';
import { SourceBadge } from './source-badge.tsx';
import { EditButton, PauseButton, RemoveButton } from './source-changes.tsx';
import { SourceProgress } from './source-progress.tsx';

const description =
  'Folders of the server, and of buckets, that are indexed where they lie. Nothing in them is copied, moved, changed or deleted.';

/** The sources of the workspace. @param owner whether this person may add, change and remove them */
export function SourcesPanel({ owner }: { owner: boolean }) {
  const sources = useQuery(followedSourcesOptions);
  const roots = useQuery({ ...sourceRootsOptions(null), enabled: owner });
  const navigate = useNavigate();
  const [adding, setAdding] = useState(false);
  const allowed = roots.data?.map(({ path }) => path) ?? [];
  const hasRoots = allowed.length > 0;
  return (
    <Panel
      title="Sources"
      description={description}
      action={
        owner && hasRoots ? (
          <Button onClick={() => setAdding(true)}>
            <Plus aria-hidden />
            Add source
          </Button>
        ) : null
      }
    >
      <PanelList list={sources} label="Sources" empty={emptyText(owner, roots.isSuccess ? allowed : null)}>
        {(source) => <SourceRow key={source.id} source={source} owner={owner} />}
      </PanelList>
      {owner && roots.isSuccess && !hasRoots ? <NoRoots /> : null}
      {owner ? null : <p className="pt-2 text-quiet">Only owners of the workspace add, change and remove sources.</p>}
      {adding ? (
        <AddSourceDialog
          roots={allowed}
          onClose={() => setAdding(false)}
          onAdded={(id) => void navigate(paths.source(id))}
        />
      ) : null}
    </Panel>
  );
}

/** @param roots that the operator allows; null: not known; where there are none, that is said instead */
function emptyText(owner: boolean, roots: readonly string[] | null): string | null {
  if (!owner) return 'This workspace has no sources.';
  if (roots === null) return 'No sources yet.';
  return roots.length === 0
    ? null
    : `No sources yet. Add ${describeAddable(roots)} to search what lies there without uploading it.`;
}

/** Why no source can be added here, and what the operator would do. */
const NoRoots = () => (
  <div className="mt-1 rounded-control bg-raised px-3 py-2.5 leading-relaxed">
    <p className="font-medium">The operator of this server has not allowed any folder or bucket.</p>
    <p className="mt-1 text-quiet">
      The setting <code>SOURCE_ROOTS</code> names the folders and buckets in which owners may add sources, such as{' '}
      <code>SOURCE_ROOTS=/mnt/nas</code>. Without it only the operator adds sources, with{' '}
      <code>npm run admin -- source add</code>.
    </p>
  </div>
);

function SourceRow({ source, owner }: { source: Source; owner: boolean }) {
  const { id, name, location, files, managed } = source;
  return (
    <li className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Link
              to={paths.source(id)}
              className="min-w-0 truncate font-medium hover:underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
            >
              {name}
            </Link>
            <SourceBadge source={source} />
          </p>
          <code className="block text-xs wrap-anywhere text-quiet">{location}</code>
          <p className="mt-0.5 text-xs text-quiet tabular-nums">
            {countFiles(files.total)} · {formatBytes(files.bytes)}
            {managed ? ' · added by the operator' : ''}
          </p>
        </div>
        {owner && !managed ? (
          <span className="flex items-center gap-1">
            <PauseButton source={source} />
            <EditButton source={source} />
            <RemoveButton source={source} />
          </span>
        ) : null}
      </div>
      {source.state === 'offline' || source.problem ? (
        <p className="text-label leading-relaxed text-danger">{describeState(source)}</p>
      ) : null}
      <SourceProgress source={source} />
    </li>
  );
}

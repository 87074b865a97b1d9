import { useQuery } from '@tanstack/react-query';
import { ChevronRight, Folder, FolderOpen, HardDrive } from 'lucide-react';
import { Fragment, useEffect, useRef } from 'react';
import { sourceRootsOptions } from '../../api/sources.ts';
import { describeError } from '../../lib/describe-error.ts';
import { Button } from '../../ui/button.tsx';
import { useFieldError } from '../../ui/form.tsx';
import { PanelAction } from '../../ui/panel-action.tsx';

/** A folder of the service's machine or of a bucket, as it was walked to: from a root that the operator allows. */
export type ChosenFolder = { path: string; name: string };

/**
 * Walks through the folders that the operator allows. The folder that is open is the one that is chosen.
 * @param way the folders walked through, from a root on; empty: none yet
 */
export function FolderChooser({
  way,
  onWalk,
}: {
  way: readonly ChosenFolder[];
  onWalk: (way: readonly ChosenFolder[]) => void;
}) {
  const opened = way.at(-1) ?? null;
  const error = useFieldError('location');
  return (
    <fieldset>
      <legend className="font-medium">Folder</legend>
      <input type="hidden" name="location" value={opened?.path ?? ''} />
      <div className="mt-1.5 rounded-control border border-line bg-canvas">
        <Way way={way} onWalk={onWalk} />
        <Folders
          key={opened?.path ?? ''}
          of={opened}
          isFirst={way.length === 0}
          onOpen={(one) => onWalk([...way, one])}
        />
      </div>
      <p className={error === undefined ? 'mt-1 text-xs wrap-anywhere text-quiet' : 'mt-1 text-xs text-danger'}>
        {error ?? (opened ? <>Indexes {opened.path} and all folders in it.</> : 'Choose where to begin.')}
      </p>
    </fieldset>
  );
}

/** The folders walked through; each leads back to it. */
const Way = ({ way, onWalk }: { way: readonly ChosenFolder[]; onWalk: (way: readonly ChosenFolder[]) => void }) => (
  <nav aria-label="Folders above" className="flex flex-wrap items-center gap-0.5 border-b border-line p-1">
    <Button
      variant="quiet"
      size="small"
      aria-current={way.length === 0 ? 'true' : undefined}
      onClick={() => onWalk([])}
    >
      <HardDrive aria-hidden />
      All roots
    </Button>
    {way.map(({ path, name }, i) => (
      <Fragment key={path}>
        <ChevronRight className="size-3.5 shrink-0 text-quiet" aria-hidden />
        <Button
          variant="quiet"
          size="small"
          className="max-w-full"
          aria-current={i === way.length - 1 ? 'true' : undefined}
          onClick={() => onWalk(way.slice(0, i + 1))}
        >
          <span className="truncate">{name}</span>
        </Button>
      </Fragment>
    ))}
  </nav>
);

/** What a folder holds: its folders; at the beginning the roots. */
function Folders({
  of,
  isFirst,
  onOpen,
}: {
  of: ChosenFolder | null;
  isFirst: boolean;
  onOpen: (folder: ChosenFolder) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const roots = useQuery(sourceRootsOptions(of?.path ?? null));
  const isThere = roots.isSuccess;
  useEffect(() => {
    // The folder that was opened is gone from the list, and the focus with it.
    if (isThere && !isFirst) (list.current?.querySelector('button') ?? list.current)?.focus();
  }, [isThere, isFirst]);
  if (roots.isPending) return <p className="h-44 animate-pulse px-3 py-2.5 text-quiet">Loading…</p>;
  if (roots.isError) {
    return (
      <p role="alert" className="h-44 px-3 py-2.5 text-danger">
        {describeError(roots.error)}
      </p>
    );
  }
  const folders = of
    ? roots.data.flatMap((root) => root.folders)
    : roots.data.map(({ path }) => ({ path, name: path }));
  const Icon = of ? Folder : FolderOpen;
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label={of ? `Folders in ${of.name}` : 'Roots'}
      className="h-44 overflow-y-auto p-1 outline-none"
    >
      {folders.map((folder) => (
        <li key={folder.path}>
          <PanelAction icon={Icon} title={folder.path} onClick={() => onOpen(folder)}>
            {folder.name}
          </PanelAction>
        </li>
      ))}
      {folders.length === 0 ? <li className="px-2 py-1.5 text-quiet">No folders in it.</li> : null}
    </ul>
  );
}

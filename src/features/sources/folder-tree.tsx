import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { ChevronRight, Folder } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { Link } from 'react-router';
import type { SourceFolder } from '../../api/generated/api/index.ts';
import { sourceFoldersOptions } from '../../api/sources.ts';
import { describeError } from '../../lib/describe-error.ts';
import { formatCount } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';

/** The most folders of one folder that the service lists. */
const mostListed = 1000;
/** How often folders are read again while a scan finds more, milliseconds. */
const scanningMs = 5000;

type Props = { source: string; scanning: boolean };

/**
 * The folders of a source, which open one by one. Each leads to what lies in it. Arrow keys go from folder to folder, open and close them.
 * @param scanning whether more may come at any moment
 */
export const FolderTree = (props: Props) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the links in it
  <nav aria-label="Folders" onKeyDown={moveByArrow}>
    <Folders {...props} path="" level={0} />
  </nav>
);

/** Up and down lead to the folder above or below, as they are shown. */
function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll('a')];
  const row = (event.target as HTMLElement).closest('[data-folder]');
  const at = links.findIndex((link) => row?.contains(link));
  const next = links[at + step];
  if (at === -1 || !next) return;
  event.preventDefault();
  next.focus();
}

function Folders({ source, scanning, path, level }: Props & { path: string; level: number }) {
  const folders = useQuery({
    ...sourceFoldersOptions(source, path),
    refetchInterval: scanning ? scanningMs : false,
  });
  if (folders.isPending) {
    return (
      <div className="space-y-2 py-1.5" role="status" aria-busy="true" aria-label="Loading">
        <span className="block h-4 w-2/3 animate-pulse rounded-control bg-raised" />
        <span className="block h-4 w-1/2 animate-pulse rounded-control bg-raised" />
      </div>
    );
  }
  if (folders.isError && !folders.data) {
    return (
      <p role="alert" className="flex flex-wrap items-center gap-x-3 py-1.5 text-danger">
        {describeError(folders.error)}
        <Button size="small" onClick={() => void folders.refetch()}>
          Try again
        </Button>
      </p>
    );
  }
  const { data } = folders;
  if (data.length === 0) {
    return level > 0 ? null : (
      <p className="py-1.5 text-quiet">{scanning ? 'No folders found yet.' : 'All of its items lie in its root.'}</p>
    );
  }
  return (
    <ul className={clsx(level > 0 && 'ml-3.5 border-l border-line pl-1.5')}>
      {data.map((folder) => (
        <FolderRow key={folder.path} source={source} scanning={scanning} folder={folder} level={level} />
      ))}
      {data.length >= mostListed ? (
        <li className="py-1.5 pl-8 text-xs text-quiet">The first {formatCount(mostListed)} folders are listed.</li>
      ) : null}
    </ul>
  );
}

function FolderRow({ source, scanning, folder, level }: Props & { folder: SourceFolder; level: number }) {
  const [open, setOpen] = useState(false);
  const { name, path, items, folders } = folder;
  const onKeyDown = (event: KeyboardEvent) => {
    if (folders === 0 || !['ArrowRight', 'ArrowLeft'].includes(event.key)) return;
    event.preventDefault();
    setOpen(event.key === 'ArrowRight');
  };
  return (
    <li>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the link and the button in it */}
      <div data-folder className="flex items-center rounded-control hover:bg-raised" onKeyDown={onKeyDown}>
        {folders === 0 ? (
          <span className="size-8 shrink-0 pointer-coarse:size-11" />
        ) : (
          <button
            type="button"
            aria-expanded={open}
            aria-label={`Folders in ${name}`}
            onClick={() => setOpen(!open)}
            className="grid size-8 shrink-0 place-items-center rounded-control text-quiet hover:text-ink pointer-coarse:size-11"
          >
            <ChevronRight className={clsx('size-4 transition-transform', open && 'rotate-90')} aria-hidden />
          </button>
        )}
        <Link
          to={paths.inFolder(source, path)}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-2 rounded-control pr-2 hover:text-accent pointer-coarse:min-h-11"
        >
          <Folder className="size-4 shrink-0 text-quiet" aria-hidden />
          <span className="min-w-0 flex-1 truncate" title={name}>
            {name}
          </span>
          <span className="text-xs text-quiet tabular-nums">
            {formatCount(items)}
            <span className="sr-only"> {items === 1 ? 'item' : 'items'}</span>
          </span>
        </Link>
      </div>
      {open ? <Folders source={source} scanning={scanning} path={path} level={level + 1} /> : null}
    </li>
  );
}

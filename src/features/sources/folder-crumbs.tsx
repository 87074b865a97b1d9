import { ChevronRight, HardDrive } from 'lucide-react';
import { Link } from 'react-router';
import { foldersTo } from '../../lib/folders.ts';

/**
 * A folder of a source with those above it, each a link; the last one is where it is.
 * @param root what the root is called: the name of the source
 * @param addressOf where a folder leads to, by its path below the root; empty: the root
 */
export const FolderCrumbs = ({
  root,
  folder,
  addressOf,
  isPlace = false,
}: {
  root: string;
  folder: string;
  addressOf: (folder: string) => string;
  /** Whether the page shows the last one: then it is no way to go. */
  isPlace?: boolean;
}) => {
  const all = [{ path: '', name: root }, ...foldersTo(folder)];
  return (
    <nav aria-label="Folder" className="min-w-0">
      <ol className="flex flex-wrap items-center gap-y-1">
        {all.map(({ path, name }, i) => (
          <li key={path} className="inline-flex min-w-0 items-center">
            {i === 0 ? (
              <HardDrive className="mr-1.5 size-4 shrink-0 text-quiet" aria-hidden />
            ) : (
              <ChevronRight className="size-4 shrink-0 text-quiet" aria-hidden />
            )}
            {isPlace && i === all.length - 1 ? (
              <span aria-current="page" className="px-0.5 font-medium wrap-anywhere">
                {name}
              </span>
            ) : (
              <Link
                to={addressOf(path)}
                className="inline-flex items-center rounded-control px-0.5 wrap-anywhere text-quiet underline-offset-2 hover:text-ink hover:underline pointer-coarse:min-h-11"
              >
                {name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
};

import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { sourcesOptions } from '../../api/sources.ts';
import { paths } from '../../paths.ts';
import { FolderCrumbs } from './folder-crumbs.tsx';
import { SourceBadge } from './source-badge.tsx';

/** Which folder of which source the library shows, with the way up. The other filters stay. */
export function LibraryCrumbs() {
  const { pathname, search } = useLocation();
  const sources = useQuery(sourcesOptions);
  const parameters = new URLSearchParams(search);
  const source = sources.data?.find(({ id }) => id === parameters.get('source'));
  // A link may name one that is gone: the filter says so.
  if (!source && !parameters.get('folder')) return null;
  const addressOf = (folder: string) => {
    const next = new URLSearchParams(search);
    if (folder === '') next.delete('folder');
    else next.set('folder', folder);
    return `${pathname}?${next.toString()}`;
  };
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <FolderCrumbs
        root={source?.name ?? 'All sources'}
        folder={parameters.get('folder') ?? ''}
        addressOf={addressOf}
        isPlace
      />
      {source ? (
        <span className="flex items-center gap-2">
          {source.state === 'offline' ? <SourceBadge source={source} /> : null}
          <Link to={paths.source(source.id)} className="text-label text-accent hover:underline">
            About this source
          </Link>
        </span>
      ) : null}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { mediaItemOptions } from '../../api/queries.ts';
import { sourcesOptions } from '../../api/sources.ts';
import { useMachinePath } from '../../api/use-machine-path.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FolderCrumbs } from './folder-crumbs.tsx';

/** In which folder the item of a hit lies; nothing for one that was uploaded. A hit does not say it: it is asked for where there are sources. */
export function HitLocation({ id }: { id: string }) {
  const sources = useQuery(sourcesOptions);
  const item = useQuery({ ...mediaItemOptions(id), enabled: (sources.data?.length ?? 0) > 0, staleTime: 60_000 });
  const source = item.data?.source ?? null;
  const path = useMachinePath(source?.location ?? '');
  if (!source) return null;
  return (
    <div className="flex min-w-0 items-center gap-1 text-label">
      <FolderCrumbs
        root={source.name}
        folder={source.folder}
        addressOf={(folder) => paths.inFolder(source.id, folder)}
      />
      {source.offline ? <span className="shrink-0 text-quiet">(offline)</span> : null}
      <CopyButton text={path} label="Copy path" />
    </div>
  );
}

import { FolderSearch, Unplug } from 'lucide-react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { useMachine, useMachinePath } from '../../api/use-machine-path.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/select.tsx';
import { FolderCrumbs } from './folder-crumbs.tsx';

type Location = NonNullable<MediaItem['source']>;

/** Where an item lies that is indexed in place: its folder, its path on this machine, and the way to what lies beside it. */
export function ItemLocation({ source }: { source: Location }) {
  const path = useMachinePath(source.location);
  return (
    <section aria-label="Location" className="space-y-2">
      <FolderCrumbs
        root={source.name}
        folder={source.folder}
        addressOf={(folder) => paths.inFolder(source.id, folder)}
      />
      {source.offline ? <OfflineNote name={source.name} id={source.id} /> : null}
      <div className="space-y-1">
        <MachineChoice />
        <p className="text-xs wrap-anywhere text-quiet">
          <code>{path}</code>
        </p>
      </div>
      <div className="-ml-3.5 flex flex-wrap items-center gap-x-1">
        <CopyButton text={path} label="Copy path">
          Copy path
        </CopyButton>
        <Button asChild variant="quiet">
          <Link to={paths.inFolder(source.id, source.folder)}>
            <FolderSearch aria-hidden />
            Show in folder
          </Link>
        </Button>
      </div>
    </section>
  );
}

/** Which machine this is, where paths have other names on some. */
function MachineChoice() {
  const { machine, machines, choose } = useMachine();
  if (machines.length === 0) return null;
  const options = [
    { value: '', text: 'Path on the server' },
    ...machines.map((value) => ({ value, text: `Path on ${value}` })),
  ];
  return <Select hideLabel label="Path on" value={machine} options={options} onChange={choose} />;
}

const OfflineNote = ({ name, id }: { name: string; id: string }) => (
  <p className="flex gap-2 leading-relaxed text-quiet">
    <Unplug className="mt-0.5 size-4 shrink-0" aria-hidden />
    <span>
      The original is offline:{' '}
      <Link to={paths.source(id)} className="underline underline-offset-2 hover:text-ink">
        {name}
      </Link>{' '}
      is not to be reached at the moment.
    </span>
  </p>
);

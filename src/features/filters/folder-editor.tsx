import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Check, ChevronRight, CornerLeftUp, HardDrive } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { allFilters } from '../../../contract/fields.ts';
import { sourceFoldersOptions, sourcesOptions } from '../../api/sources.ts';
import { describeError } from '../../lib/describe-error.ts';
import { folderAbove, foldersTo } from '../../lib/folders.ts';
import { formatCount } from '../../lib/format.ts';
import { commandInput, commandItem } from '../../ui/label-combobox.tsx';
import type { EditorProps } from './filter-bar.tsx';

const sourceUrl = allFilters.find(({ parameter }) => parameter === 'source_id')?.url ?? '';

/** Walks through the folders of a source: the one that is open is the one that the list is limited to. Of several sources one is chosen first. */
export function FolderEditor({ of, search, onChange, onRemove, onDone }: EditorProps) {
  const url = of.filters[0]?.url ?? '';
  const sources = useQuery(sourcesOptions);
  const [picked, setPicked] = useState<string | null>(null);
  const only = sources.data?.length === 1 ? sources.data[0]?.id : undefined;
  const source = search.get(sourceUrl) ?? picked ?? only;
  const folder = search.get(url) ?? '';
  const open = (path: string, isLast: boolean) => {
    onChange({ [sourceUrl]: source, [url]: path }, { replace: true });
    if (isLast) onDone();
  };
  if (source === undefined) {
    return (
      <List label="Source" loading={sources.isPending} failure={sources.error} empty="There is no source yet.">
        {sources.data?.map(({ id, name }) => (
          <Command.Item key={id} value={`${name} ${id}`} onSelect={() => setPicked(id)} className={commandItem}>
            <HardDrive className="size-4 text-quiet" aria-hidden />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <ChevronRight className="size-4 text-quiet" aria-hidden />
          </Command.Item>
        ))}
      </List>
    );
  }
  // A folder of its own has another list, and an empty field.
  return (
    <Folders
      key={`${source} ${folder}`}
      source={source}
      folder={folder}
      onOpen={open}
      onUp={() => {
        const above = folderAbove(folder);
        if (above === '') onRemove?.();
        else open(above, false);
      }}
    />
  );
}

function Folders({
  source,
  folder,
  onOpen,
  onUp,
}: {
  source: string;
  folder: string;
  onOpen: (path: string, isLast: boolean) => void;
  onUp: () => void;
}) {
  const folders = useQuery(sourceFoldersOptions(source, folder));
  const here = foldersTo(folder).at(-1)?.name;
  const above = foldersTo(folder).at(-2)?.name;
  return (
    <List
      label="Folder"
      loading={folders.isPending}
      failure={folders.error}
      empty={here === undefined ? 'There are no folders in it.' : 'No folder matches.'}
    >
      {here === undefined ? null : (
        <>
          <Command.Item value="up" keywords={['up']} onSelect={onUp} className={commandItem}>
            <CornerLeftUp className="size-4 text-quiet" aria-hidden />
            <span className="text-quiet">{above === undefined ? 'All folders' : `Up to ${above}`}</span>
          </Command.Item>
          <Command.Item
            value={`here ${folder}`}
            aria-checked
            className={commandItem}
            onSelect={() => onOpen(folder, true)}
          >
            <Check className="size-4" aria-hidden />
            <span className="min-w-0 flex-1 truncate font-medium">{here}</span>
          </Command.Item>
        </>
      )}
      {folders.data?.map(({ path, name, items, folders: inIt }) => (
        <Command.Item key={path} value={path} onSelect={() => onOpen(path, inIt === 0)} className={commandItem}>
          <span className="size-4" />
          <span className="min-w-0 flex-1 truncate" title={name}>
            {name}
          </span>
          <span className="text-xs text-quiet tabular-nums">{formatCount(items)}</span>
          {inIt > 0 ? <ChevronRight className="size-4 text-quiet" aria-hidden /> : <span className="size-4" />}
        </Command.Item>
      ))}
    </List>
  );
}

/** What is chosen from, found by typing a part of its name; or why there is nothing. */
const List = ({
  label,
  loading,
  failure,
  empty,
  children,
}: {
  label: string;
  loading: boolean;
  failure: Error | null;
  empty: string;
  children: ReactNode;
}) => (
  <Command label={label} loop>
    <Command.Input placeholder={`Find a ${label.toLowerCase()}`} maxLength={200} className={commandInput} />
    <Command.List className="max-h-72 overflow-y-auto p-1.5 max-sm:max-h-none" label={label}>
      {children}
      {failure ? (
        <p role="alert" className="px-2 py-3 text-danger">
          {describeError(failure)}
        </p>
      ) : (
        <Command.Empty className="px-2 py-3 text-quiet">{loading ? 'Loading…' : empty}</Command.Empty>
      )}
    </Command.List>
  </Command>
);

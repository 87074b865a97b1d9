import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Check, Plus } from 'lucide-react';
import { useState } from 'react';
import { type Group, type GroupKind, groupRequests, useGroups } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { formatCount } from '../../lib/format.ts';
import { groupNames } from './group-names.ts';

/** Most that are listed; typing finds the others. */
const maxListed = 50;

/** As the service compares names: case and the encoding of accents make no difference. */
const fold = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/**
 * Collections or tags to choose from: found by typing, or created from what is typed. Enter takes the marked one, the backspace key in the
 * empty field takes the last chosen one away.
 */
export function GroupCombobox({
  kind,
  chosen,
  create,
  onChoose,
  onBackspace,
}: {
  kind: GroupKind;
  chosen: readonly string[];
  /** Whether what is typed can be created. */
  create: boolean;
  onChoose: (group: Pick<Group, 'id' | 'name'>) => void;
  onBackspace?: () => void;
}) {
  const [text, setText] = useState('');
  const groups = useGroups(kind);
  const creation = useCreateGroup(kind);
  const { one, Many } = groupNames[kind];
  const found = groups.filter(({ name }) => fold(name).includes(fold(text)));
  const isNew = fold(text) !== '' && !groups.some(({ name }) => fold(name) === fold(text));
  const choose = (group: Pick<Group, 'id' | 'name'>) => {
    setText('');
    onChoose(group);
  };
  const createAndChoose = () => creation.mutate(text.trim(), { onSuccess: choose });
  return (
    <Command label={`Find a ${one}`} shouldFilter={false} loop>
      <Command.Input
        value={text}
        onValueChange={setText}
        maxLength={120}
        placeholder={create ? `Find or create a ${one}` : `Find a ${one}`}
        onKeyDown={({ key }) => {
          if (key === 'Backspace' && text === '') onBackspace?.();
        }}
        className="h-10 w-full border-b border-line bg-transparent px-3 outline-none placeholder:text-quiet"
      />
      <Command.List className="max-h-64 overflow-y-auto p-1.5" label={Many}>
        {found.slice(0, maxListed).map((group) => (
          <GroupItem key={group.id} group={group} chosen={chosen.includes(group.id)} onSelect={() => choose(group)} />
        ))}
        {create && isNew ? (
          <Command.Item value="create" disabled={creation.isPending} onSelect={createAndChoose} className={itemClass}>
            <Plus className="size-4" aria-hidden />
            <span className="min-w-0 flex-1 truncate">Create “{text.trim()}”</span>
          </Command.Item>
        ) : null}
        {found.length === 0 && !(create && isNew) ? (
          <NoneFound kind={kind} any={groups.length > 0} create={create} />
        ) : null}
        {found.length > maxListed ? (
          <p className="px-2 py-2 text-xs text-quiet">
            {formatCount(found.length - maxListed)} more: type to find them.
          </p>
        ) : null}
      </Command.List>
    </Command>
  );
}

const GroupItem = ({ group, chosen, onSelect }: { group: Group; chosen: boolean; onSelect: () => void }) => (
  <Command.Item value={group.id} aria-checked={chosen} onSelect={onSelect} className={itemClass}>
    <Check className={chosen ? 'size-4' : 'invisible size-4'} aria-hidden />
    <span className="min-w-0 flex-1 truncate">{group.name}</span>
    <span className="text-xs text-quiet tabular-nums">{formatCount(group.media_count)}</span>
  </Command.Item>
);

function NoneFound({ kind, any, create }: { kind: GroupKind; any: boolean; create: boolean }) {
  const { one, many } = groupNames[kind];
  return (
    <p className="px-2 py-3 text-quiet">
      {any ? `No ${one} of this name.` : `There are no ${many} yet.${create ? ' Type a name to create one.' : ''}`}
    </p>
  );
}

const itemClass =
  'flex h-9 cursor-pointer items-center gap-2 rounded-control px-2 data-[disabled=true]:opacity-50 data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent';

/** Creates a collection or a tag. */
function useCreateGroup(kind: GroupKind) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => groupRequests[kind].create(name),
    onSuccess: () => reloadMedia(client),
  });
}

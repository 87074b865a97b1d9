import { FolderMinus, FolderPlus, Tags } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { Group, GroupKind } from '../../api/item-groups.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { GroupCombobox } from './group-combobox.tsx';
import { groupNames } from './group-names.ts';
import { GroupPopover } from './group-popover.tsx';
import { useChangeMembers } from './use-change-members.ts';

/**
 * What can be done with the selected items' collections and tags.
 * @param within the collection whose items are shown
 */
export function GroupActions({
  ids,
  within,
  onRemoved,
}: {
  ids: readonly string[];
  within: Pick<Group, 'id' | 'name'> | null;
  /** They are not shown any more. */
  onRemoved: () => void;
}) {
  const change = useChangeMembers();
  return (
    <>
      <GroupAction
        kind="collections"
        ids={ids}
        letter="c"
        icon={<FolderPlus aria-hidden />}
        busy={change.isPending}
        change={change}
      />
      <GroupAction
        kind="tags"
        ids={ids}
        letter="t"
        icon={<Tags aria-hidden />}
        busy={change.isPending}
        change={change}
      />
      {within ? (
        <Button
          size="small"
          disabled={change.isPending}
          onClick={() =>
            change.mutate({ kind: 'collections', group: within, ids, how: 'remove' }, { onSuccess: onRemoved })
          }
        >
          <FolderMinus aria-hidden />
          Remove from collection
        </Button>
      ) : null}
    </>
  );
}

type How = 'add' | 'remove';

/** The button of one kind, and the panel that it or a letter on the keyboard opens. */
function GroupAction({
  kind,
  ids,
  letter,
  icon,
  busy,
  change,
}: {
  kind: GroupKind;
  ids: readonly string[];
  letter: string;
  icon: ReactNode;
  busy: boolean;
  change: ReturnType<typeof useChangeMembers>;
}) {
  const [open, setOpen] = useState(false);
  const [how, setHow] = useState<How>('add');
  useLetter(letter, () => setOpen(true));
  const { Many } = groupNames[kind];
  const options: { value: How; text: string }[] = [
    { value: 'add', text: 'Add' },
    { value: 'remove', text: 'Remove' },
  ];
  return (
    <GroupPopover
      open={open}
      onOpenChange={setOpen}
      label={`${Many} of the selection`}
      trigger={
        <Button size="small" disabled={busy} aria-keyshortcuts={letter} title={`${Many} (${letter.toUpperCase()})`}>
          {icon}
          {Many}
        </Button>
      }
    >
      <div className="flex items-center justify-between border-b border-line p-2">
        <p className="px-1 font-medium">{Many}</p>
        <Choice label="Add or remove" value={how} options={options} onChange={(value) => setHow(value ?? 'add')} />
      </div>
      <GroupCombobox
        kind={kind}
        chosen={[]}
        create={how === 'add'}
        onChoose={(group) => {
          setOpen(false);
          change.mutate({ kind, group, ids, how });
        }}
      />
    </GroupPopover>
  );
}

/** Calls back when a letter is pressed outside of fields and dialogs. */
function useLetter(letter: string, onPress: () => void): void {
  const press = useEffectEvent(onPress);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || key.toLowerCase() !== letter) return;
      if (target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=dialog]'))
        return;
      event.preventDefault();
      press();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [letter]);
}

import { FolderPlus, Tags } from 'lucide-react';
import { useRef, useState } from 'react';
import type { GroupKind } from '../../api/item-groups.ts';
import type { SelectedItems } from '../../lib/selected-items.ts';
import { useKeys } from '../../lib/use-keys.ts';
import { AnchoredPanel } from '../../ui/anchored-panel.tsx';
import { Choice } from '../../ui/choice.tsx';
import { SelectionAction } from '../../ui/selection-frame.tsx';
import { GroupCombobox } from './group-combobox.tsx';
import { groupNames } from './group-names.ts';
import { useChangeMembers } from './use-change-members.ts';

/** What can be done with the selected items' collections and tags. */
export const GroupActions = ({ items }: { items: SelectedItems }) => (
  <>
    <GroupAction kind="tags" items={items} letter="t" />
    <GroupAction kind="collections" items={items} letter="c" />
  </>
);

type How = 'add' | 'remove';

const icons = { tags: Tags, collections: FolderPlus };

/** The button of one kind, and the panel that it or a letter on the keyboard opens. */
function GroupAction({ kind, items, letter }: { kind: GroupKind; items: SelectedItems; letter: string }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [how, setHow] = useState<How>('add');
  const { change } = useChangeMembers();
  useKeys({ [letter]: () => setOpen(true) });
  const { Many } = groupNames[kind];
  const options: { value: How; text: string }[] = [
    { value: 'add', text: 'Add' },
    { value: 'remove', text: 'Remove' },
  ];
  return (
    <>
      <SelectionAction
        ref={button}
        icon={icons[kind]}
        label={Many}
        shortcut={letter}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      {open ? (
        <AnchoredPanel anchor={button} label={`${Many} of the selection`} onClose={() => setOpen(false)}>
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
              change({ kind, group, items, how });
            }}
          />
        </AnchoredPanel>
      ) : null}
    </>
  );
}

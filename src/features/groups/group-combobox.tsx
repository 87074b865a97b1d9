import type { Group, GroupKind } from '../../api/item-groups.ts';
import { useLabelChoices } from '../../api/label-requests.ts';
import { LabelCombobox } from '../../ui/label-combobox.tsx';

/**
 * Collections or tags to choose from: found by typing, or created from what is typed.
 * @param create whether what is typed can be created
 */
export function GroupCombobox({
  kind,
  create,
  ...handlers
}: {
  kind: GroupKind;
  chosen: readonly string[];
  create: boolean;
  onChoose: (group: Pick<Group, 'id' | 'name'>) => void;
  onBackspace?: () => void;
}) {
  const choices = useLabelChoices(kind === 'tags' ? 'tag' : 'collection');
  return <LabelCombobox {...choices} {...handlers} create={create ? choices.create : undefined} />;
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Group, type GroupKind, groupRequests } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { shownInForm } from '../../api/request.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { groupNames } from './group-names.ts';

/**
 * Creates or renames a collection or tag.
 * @param group the one to rename; undefined: a new one
 */
export function GroupDialog({
  kind,
  group,
  onClose,
  onSaved,
}: {
  kind: GroupKind;
  group?: Pick<Group, 'id' | 'name'> | undefined;
  onClose: () => void;
  onSaved?: (group: Pick<Group, 'id' | 'name'>) => void;
}) {
  const client = useQueryClient();
  const { one } = groupNames[kind];
  const save = useMutation({
    meta: shownInForm,
    mutationFn: async (name: string): Promise<Pick<Group, 'id' | 'name'>> => {
      if (!group) return groupRequests[kind].create(name);
      await groupRequests[kind].rename(group.id, name);
      return { id: group.id, name };
    },
    onSuccess: async (saved) => {
      await reloadMedia(client);
      onClose();
      onSaved?.(saved);
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={group ? `Rename ${group.name}` : `New ${one}`}
      submit={group ? 'Save' : 'Create'}
      busy={save.isPending}
      error={save.error}
      onSubmit={({ name = '' }) => save.mutate(name)}
    >
      <TextField label="Name" name="name" defaultValue={group?.name} maxLength={120} required autoComplete="off" />
    </FormDialog>
  );
}

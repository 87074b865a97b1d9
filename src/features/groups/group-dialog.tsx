import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createCollection } from '../../api/generated/api/index.ts';
import { type Group, type GroupKind, groupRequests } from '../../api/item-groups.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { shownInForm } from '../../api/request.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextField } from '../../ui/text-field.tsx';
import { groupNames } from './group-names.ts';

/**
 * Creates a collection, with a description, or a tag; or renames one.
 * @param group the one to rename; undefined: a new one
 * @param proposed the name that is proposed for a new one
 * @param about what becomes of a new one, as a sentence
 */
export function GroupDialog({
  kind,
  group,
  proposed,
  about,
  onClose,
  onSaved,
}: {
  kind: GroupKind;
  group?: Pick<Group, 'id' | 'name'> | undefined;
  proposed?: string;
  about?: string;
  onClose: () => void;
  onSaved?: (group: Pick<Group, 'id' | 'name'>) => void;
}) {
  const { one } = groupNames[kind];
  const save = useSave(kind, group, (saved) => {
    onClose();
    onSaved?.(saved);
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={group ? `Rename ${group.name}` : `New ${one}`}
      description={about}
      submit={group ? 'Save' : 'Create'}
      busy={save.isPending}
      error={save.error}
      onSubmit={(fields) => save.mutate(fields)}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue={group?.name ?? proposed}
        maxLength={120}
        required
        autoComplete="off"
      />
      {kind === 'collections' && !group ? (
        <TextArea label="Description (optional)" name="description" maxLength={2000} rows={3} />
      ) : null}
    </FormDialog>
  );
}

type Named = Pick<Group, 'id' | 'name'>;

/** Stores what was typed. */
function useSave(kind: GroupKind, group: Named | undefined, onSaved: (group: Named) => void) {
  const client = useQueryClient();
  return useMutation({
    meta: shownInForm,
    mutationFn: async ({ name = '', description = '' }: Record<string, string>): Promise<Named> => {
      if (group) {
        await groupRequests[kind].rename(group.id, name);
        return { id: group.id, name };
      }
      if (kind === 'tags') return groupRequests.tags.create(name);
      return (await createCollection({ body: { name, description } })).data;
    },
    onSuccess: async (saved) => {
      await reloadMedia(client);
      onSaved(saved);
    },
  });
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { shownInForm } from '../../api/request.ts';
import { savedSearchesOptions, savedSearchRequests, type SavedView } from '../../api/saved-searches.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.ts';

/** Names a view that is saved, or renames a saved one. */
export function SavedSearchDialog({
  what,
  onClose,
}: {
  what: { view: SavedView; proposed: string } | { saved: SavedSearch };
  onClose: () => void;
}) {
  const client = useQueryClient();
  const save = useMutation({
    meta: shownInForm,
    mutationFn: (name: string) =>
      'saved' in what ? savedSearchRequests.rename(what.saved.id, name) : savedSearchRequests.create(name, what.view),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: savedSearchesOptions.queryKey });
      onClose();
      if (!('saved' in what)) toast.success(`${name} was saved.`);
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={'saved' in what ? `Rename ${what.saved.name}` : 'Save search'}
      {...('saved' in what
        ? {}
        : { description: 'Keeps the query, filters and options, for everyone in this workspace.' })}
      submit="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={({ name = '' }) => save.mutate(name)}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue={'saved' in what ? what.saved.name : what.proposed}
        maxLength={120}
        required
        autoComplete="off"
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
    </FormDialog>
  );
}

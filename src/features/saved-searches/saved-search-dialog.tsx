import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { shownInForm } from '../../api/request.ts';
import { savedSearchesOptions, savedSearchRequests, type SavedView } from '../../api/saved-searches.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.ts';
import { canNotify } from './saved-view.ts';

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
    mutationFn: ({ name = '', notify }: { name?: string; notify?: string }) =>
      'saved' in what
        ? savedSearchRequests.change(what.saved.id, { name })
        : savedSearchRequests.create(name, what.view, notify !== undefined),
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
      onSubmit={save.mutate}
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
      {'view' in what && canNotify(what.view) ? (
        <label className="flex cursor-pointer items-start gap-2.5">
          <input type="checkbox" name="notify" className="mt-0.5 size-4 shrink-0 accent-accent" />
          <span>
            Tell me about new matches
            <span className="block text-xs text-quiet">When something is added that clearly matches.</span>
          </span>
        </label>
      ) : null}
    </FormDialog>
  );
}

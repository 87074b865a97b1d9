import { useMutation } from '@tanstack/react-query';
import { type Source, updateSource } from '../../api/generated/api/index.ts';
import { shownInForm } from '../../api/request.ts';
import { sourcesKey } from '../../api/sources.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { GlobFields, readGlobs } from './glob-fields.tsx';

/** Changes the name of a source, and what it takes. */
export function EditSourceDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const save = useMutation({
    meta: { ...shownInForm, reload: [sourcesKey], done: 'Source changed.' },
    mutationFn: ({ name = '', include, exclude }: Record<string, string>) =>
      updateSource({
        path: { id: source.id },
        body: { name: name.trim(), include: readGlobs(include), exclude: readGlobs(exclude) },
      }),
    onSuccess: onClose,
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Edit ${source.name}`}
      description="Files that no longer match leave the library with the next scans. On disk they stay."
      submit="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={(fields) => save.mutate(fields)}
    >
      <TextField label="Name" name="name" required maxLength={100} autoComplete="off" defaultValue={source.name} />
      <GlobFields source={source} />
    </FormDialog>
  );
}

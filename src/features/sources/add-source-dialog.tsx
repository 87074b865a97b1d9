import { useMutation } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { createSource } from '../../api/generated/api/index.ts';
import { shownInForm } from '../../api/request.ts';
import { sourcesKey } from '../../api/sources.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { describeAddable } from './describe-source.ts';
import { type ChosenFolder, FolderChooser } from './folder-chooser.tsx';
import { GlobFields, readGlobs } from './glob-fields.tsx';

/** Nothing was chosen: said as the service says what is wrong with a field. */
const noFolder = () =>
  Object.assign(new Error('No folder was chosen.'), {
    details: [{ path: 'body.location', message: 'open the folder that is to be added' }],
  });

/**
 * Adds a folder as a source.
 * @param roots that the operator allows
 */
export function AddSourceDialog({
  roots,
  onClose,
  onAdded,
}: {
  roots: readonly string[];
  onClose: () => void;
  onAdded: (id: string) => void;
}) {
  const [way, setWay] = useState<readonly ChosenFolder[]>([]);
  const opened = way.at(-1);
  const add = useMutation({
    meta: { ...shownInForm, reload: [sourcesKey], done: 'Source added. Its first scan begins.' },
    mutationFn: async ({ name = '', location = '', include, exclude }: Record<string, string>) => {
      if (location === '') throw noFolder();
      return createSource({
        body: {
          ...(name.trim() === '' ? {} : { name: name.trim() }),
          location,
          include: readGlobs(include),
          exclude: readGlobs(exclude),
        },
      });
    },
    onSuccess: ({ data }) => {
      onClose();
      onAdded(data.id);
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Add a source"
      description={`What lies in ${describeAddable(roots)} is indexed where it lies: nothing there is copied, moved or changed.`}
      submit="Add source"
      busy={add.isPending}
      error={add.error}
      onSubmit={(fields) => add.mutate(fields)}
    >
      <FolderChooser
        way={way}
        onWalk={(next) => {
          setWay(next);
          // What was wrong with the folder before says nothing of this one.
          add.reset();
        }}
      />
      <TextField
        label="Name"
        name="name"
        maxLength={100}
        autoComplete="off"
        placeholder={opened?.name.split(/[/\\]/).findLast((part) => part !== '')}
        hint="Optional: how people call it"
      />
      <IncludeAndLeaveOut />
    </FormDialog>
  );
}

/** The globs, which most sources need not have. */
const IncludeAndLeaveOut = () => (
  <details className="group">
    <summary className="flex min-h-9 cursor-pointer list-none items-center gap-1 font-medium pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
      <ChevronRight className="size-4 text-quiet transition-transform group-open:rotate-90" aria-hidden />
      Include and leave out
    </summary>
    <div className="mt-2 space-y-4">
      <GlobFields />
    </div>
  </details>
);

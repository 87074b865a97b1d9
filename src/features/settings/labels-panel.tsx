import { type QueryKey, useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { mediaKeys } from '../../api/queries.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Panel, PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { TextField } from '../../ui/text-field.tsx';

type Label = { id: string; name: string; media_count: number; description?: string };
type Fields = { name: string; description: string };

/** Creators or categories: list, make, change, remove. */
export function LabelsPanel({
  kind,
  about,
  list,
  queryKey,
  create,
  update,
  remove,
}: {
  kind: 'creator' | 'category';
  about: string;
  list: UseQueryResult<Label[]>;
  queryKey: QueryKey;
  create: (fields: Fields) => Promise<unknown>;
  update: (id: string, fields: Fields) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
}) {
  const client = useQueryClient();
  const [editing, setEditing] = useState<Label | 'new' | null>(null);
  // Items show the names, and lose the ones that go.
  const reload = () => Promise.all([queryKey, ...mediaKeys].map((key) => client.invalidateQueries({ queryKey: key })));
  const save = useMutation({
    mutationFn: (fields: Fields): Promise<unknown> =>
      editing === 'new' || editing === null ? create(fields) : update(editing.id, fields),
    onSuccess: async () => {
      await reload();
      setEditing(null);
    },
  });
  const removal = useMutation({
    mutationFn: ({ id }: Label) => remove(id),
    onSuccess: async (_, { name }) => {
      await reload();
      toast.success(`${name} was removed.`);
    },
  });
  const edited = editing === 'new' || editing === null ? undefined : editing;
  const plural = kind === 'creator' ? 'Creators' : 'Categories';
  const open = (which: Label | 'new') => {
    save.reset();
    setEditing(which);
  };
  return (
    <Panel
      title={plural}
      description={about}
      action={
        <Button onClick={() => open('new')}>
          <Plus aria-hidden />
          New {kind}
        </Button>
      }
    >
      {list.isPending ? <PanelSkeleton /> : null}
      {list.isError ? <QueryFailure error={list.error} onRetry={() => void list.refetch()} /> : null}
      {list.data?.length === 0 ? <p className="py-3 text-quiet">There are none yet.</p> : null}
      <ul className="divide-y divide-line" aria-label={plural}>
        {list.data?.map((label) => (
          <li key={label.id} className="flex items-center gap-3 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{label.name}</p>
              <p className="truncate text-xs text-quiet">
                {formatCount(label.media_count)} {label.media_count === 1 ? 'item' : 'items'}
                {label.description ? ` · ${label.description}` : ''}
              </p>
            </div>
            <Button variant="quiet" size="icon" aria-label={`Change ${label.name}`} onClick={() => open(label)}>
              <Pencil aria-hidden />
            </Button>
            <ConfirmDialog
              trigger={
                <Button variant="quiet" size="icon" aria-label={`Remove ${label.name}`}>
                  <Trash2 aria-hidden />
                </Button>
              }
              title={`Remove ${label.name}?`}
              confirm="Remove"
              onConfirm={() => removal.mutate(label)}
            >
              Its {formatCount(label.media_count)} {label.media_count === 1 ? 'item stays' : 'items stay'}, without this{' '}
              {kind}.
            </ConfirmDialog>
          </li>
        ))}
      </ul>
      <FormDialog
        key={edited?.id ?? 'new'}
        open={editing !== null}
        onOpenChange={(isOpen) => !isOpen && setEditing(null)}
        title={edited ? `Change ${edited.name}` : `New ${kind}`}
        submit={edited ? 'Save' : 'Create'}
        busy={save.isPending}
        error={save.error?.message}
        onSubmit={({ name = '', description = '' }) => save.mutate({ name, description })}
      >
        <TextField label="Name" name="name" defaultValue={edited?.name} maxLength={120} required autoComplete="off" />
        {kind === 'category' ? (
          <TextField
            label="Description"
            name="description"
            defaultValue={edited?.description}
            maxLength={1000}
            autoComplete="off"
          />
        ) : null}
      </FormDialog>
    </Panel>
  );
}

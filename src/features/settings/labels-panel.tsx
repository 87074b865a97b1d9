import { type QueryKey, useMutation, type UseQueryResult } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { mediaKeys } from '../../api/queries.ts';
import { shownInForm } from '../../api/request.ts';
import { countItems } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { TextField } from '../../ui/text-field.tsx';

type Label = { id: string; name: string; media_count: number; description?: string };
type Fields = { name: string; description: string };

type Create = (fields: Fields) => Promise<unknown>;
type Update = (id: string, fields: Fields) => Promise<unknown>;
type Kind = 'creator' | 'category';

/** Creators or categories: list, create, edit, delete. */
export function LabelsPanel({
  kind,
  about,
  list,
  queryKey,
  create,
  update,
  remove,
}: {
  kind: Kind;
  about: string;
  list: UseQueryResult<Label[]>;
  queryKey: QueryKey;
  create: Create;
  update: Update;
  remove: (id: string) => Promise<unknown>;
}) {
  const { edited, isOpen, open, close, save } = useEditing(queryKey, create, update);
  const plural = kind === 'creator' ? 'Creators' : 'Categories';
  const newButton = (
    <Button onClick={() => open('new')}>
      <Plus aria-hidden />
      New {kind}
    </Button>
  );
  return (
    <Panel title={plural} description={about} action={newButton}>
      <PanelList list={list} label={plural} empty="None yet.">
        {(label) => (
          <LabelRow
            key={label.id}
            kind={kind}
            label={label}
            queryKey={queryKey}
            onEdit={() => open(label)}
            remove={remove}
          />
        )}
      </PanelList>
      <FormDialog
        key={edited?.id ?? 'new'}
        open={isOpen}
        onOpenChange={(next) => !next && close()}
        title={edited ? `Edit ${edited.name}` : `New ${kind}`}
        submit={edited ? 'Save' : 'Create'}
        busy={save.isPending}
        error={save.error}
        onSubmit={({ name = '', description = '' }) => save.mutate({ name, description })}
      >
        <LabelFields kind={kind} label={edited} />
      </FormDialog>
    </Panel>
  );
}

/** Which label the dialog edits, and how it is saved. */
function useEditing(queryKey: QueryKey, create: Create, update: Update) {
  const [editing, setEditing] = useState<Label | 'new' | null>(null);
  const edited = editing === 'new' || editing === null ? undefined : editing;
  const save = useMutation({
    meta: { ...shownInForm, reload: madeOutdated(queryKey) },
    mutationFn: (fields: Fields) => (edited ? update(edited.id, fields) : create(fields)),
    onSuccess: () => setEditing(null),
  });
  const open = (which: Label | 'new') => {
    save.reset();
    setEditing(which);
  };
  return { edited, isOpen: editing !== null, open, close: () => setEditing(null), save };
}

/** What a change makes outdated: the labels, and the items, which show the names and lose a label that is deleted. */
const madeOutdated = (queryKey: QueryKey) => [queryKey, ...mediaKeys];

function LabelRow({
  kind,
  label,
  queryKey,
  onEdit,
  remove,
}: {
  kind: Kind;
  label: Label;
  queryKey: QueryKey;
  onEdit: () => void;
  remove: (id: string) => Promise<unknown>;
}) {
  const { id, name, media_count, description } = label;
  const removal = useMutation({
    meta: { reload: madeOutdated(queryKey), done: `${name} deleted.` },
    mutationFn: () => remove(id),
  });
  return (
    <li className="flex items-center gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{name}</p>
        <p className="truncate text-xs text-quiet">
          {countItems(media_count)}
          {description ? ` · ${description}` : ''}
        </p>
      </div>
      <IconButton icon={Pencil} label={`Edit ${name}`} onClick={onEdit} />
      <ConfirmDialog
        trigger={<IconButton icon={Trash2} label={`Delete ${name}`} />}
        title={`Delete ${name}?`}
        confirm="Delete"
        onConfirm={() => removal.mutate()}
      >
        {countItems(media_count)} {media_count === 1 ? 'stays' : 'stay'} in the library without this {kind}.
      </ConfirmDialog>
    </li>
  );
}

/** @param label the label that is edited; undefined for a new one */
const LabelFields = ({ kind, label }: { kind: Kind; label: Label | undefined }) => (
  <>
    <TextField label="Name" name="name" defaultValue={label?.name} maxLength={120} required autoComplete="off" />
    {kind === 'category' ? (
      <TextField
        label="Description"
        name="description"
        defaultValue={label?.description}
        maxLength={1000}
        autoComplete="off"
      />
    ) : null}
  </>
);

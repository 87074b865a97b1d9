import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Merge, Pencil, Plus, Search, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { labelRequests } from '../../api/label-requests.ts';
import { type Label, type LabelKind, useLabels } from '../../api/labels.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { shownInForm } from '../../api/request.ts';
import { countItems } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Panel, PanelList } from '../../ui/panel.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.ts';
import { MergeTagDialog } from './merge-tag-dialog.tsx';

const about: Record<LabelKind, string> = {
  creator: 'The people who made the media. An item has at most one.',
  category: 'Subjects that items are filed under. An item has at most one.',
  tag: 'Words that items are found by. An item may have many.',
  collection: 'Items that belong together, such as a trip or a project. An item may be in many.',
};

/** From so many labels on they are looked for by name. */
const searchedFrom = 12;

/** Which dialog is open, and for which label. */
type Open = { dialog: 'new' } | { dialog: 'edit' | 'merge'; label: Label };

/** The labels of a kind: list, create, edit, delete, and merge where the service can. */
export function LabelsPanel({ kind }: { kind: LabelKind }) {
  const { names } = labelRequests[kind];
  const list = useLabels(kind);
  const [text, setText] = useState('');
  const [open, setOpen] = useState<Open | null>(null);
  const all = list.data ?? [];
  const found = all.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const close = () => setOpen(null);
  return (
    <Panel
      title={titleOf(kind)}
      description={about[kind]}
      action={
        <Button onClick={() => setOpen({ dialog: 'new' })}>
          <Plus aria-hidden />
          New {names.one}
        </Button>
      }
    >
      {all.length >= searchedFrom ? <NameField names={names.many} text={text} onChange={setText} /> : null}
      <PanelList
        list={list.data ? { ...list, data: found } : list}
        label={titleOf(kind)}
        empty={all.length === 0 ? 'There are none yet.' : `No ${names.one} has this name.`}
      >
        {(label) => (
          <LabelRow
            key={label.id}
            kind={kind}
            label={label}
            onEdit={() => setOpen({ dialog: 'edit', label })}
            onMerge={kind === 'tag' && all.length > 1 ? () => setOpen({ dialog: 'merge', label }) : null}
          />
        )}
      </PanelList>
      {open?.dialog === 'new' ? <LabelDialog kind={kind} onClose={close} /> : null}
      {open?.dialog === 'edit' ? <LabelDialog kind={kind} label={open.label} onClose={close} /> : null}
      {open?.dialog === 'merge' ? <MergeTagDialog tag={open.label} tags={all} onClose={close} /> : null}
    </Panel>
  );
}

/** What the labels of a kind are called, as a title. */
export const titleOf = (kind: LabelKind): string => {
  const { many } = labelRequests[kind].names;
  return many.charAt(0).toUpperCase() + many.slice(1);
};

const NameField = ({ names, text, onChange }: { names: string; text: string; onChange: (text: string) => void }) => (
  <div className="relative mb-2">
    <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-quiet" aria-hidden />
    <input
      type="search"
      aria-label={`Find ${names} by name`}
      placeholder="Find by name"
      value={text}
      onChange={({ target }) => onChange(target.value)}
      className="h-9 w-full rounded-control border border-line bg-canvas pr-3 pl-9 placeholder:text-quiet pointer-coarse:h-11"
    />
  </div>
);

function LabelRow({
  kind,
  label: { id, name, media_count, description },
  onEdit,
  onMerge,
}: {
  kind: LabelKind;
  label: Label;
  onEdit: () => void;
  onMerge: (() => void) | null;
}) {
  const client = useQueryClient();
  const { names, remove } = labelRequests[kind];
  const removal = useMutation({
    mutationFn: () => remove(id),
    onSuccess: async () => {
      toast.success(`${name} was deleted.`);
      await reloadMedia(client);
    },
  });
  return (
    <li className="flex items-center gap-1 py-2">
      <div className="min-w-0 flex-1">
        <Link to={paths.labelled(kind, id)} title={name} className="block truncate font-medium hover:underline">
          {name}
        </Link>
        <p className="truncate text-xs text-quiet">
          {countItems(media_count)}
          {description ? ` · ${description}` : ''}
        </p>
      </div>
      <IconButton icon={Pencil} label={`Edit ${name}`} title="Edit" onClick={onEdit} />
      {onMerge ? (
        <IconButton icon={Merge} label={`Merge ${name}`} title="Merge into another" onClick={onMerge} />
      ) : null}
      <ConfirmDialog
        trigger={<IconButton icon={Trash2} label={`Delete ${name}`} title="Delete" />}
        title={`Delete ${name}?`}
        confirm="Delete"
        onConfirm={() => removal.mutate()}
      >
        {media_count === 0
          ? `This ${names.one} has no items.`
          : `${countItems(media_count)} ${media_count === 1 ? 'stays' : 'stay'} in the library, without this ${names.one}.`}
      </ConfirmDialog>
    </li>
  );
}

/** @param label the one that is edited; undefined for a new one */
function LabelDialog({ kind, label, onClose }: { kind: LabelKind; label?: Label; onClose: () => void }) {
  const client = useQueryClient();
  const { names, create, update } = labelRequests[kind];
  const save = useMutation({
    meta: shownInForm,
    mutationFn: async (fields: { name: string; description: string }): Promise<unknown> =>
      label ? update(label.id, fields) : create(fields),
    onSuccess: async () => {
      await reloadMedia(client);
      onClose();
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={label ? `Edit ${label.name}` : `New ${names.one}`}
      submit={label ? 'Save' : 'Create'}
      busy={save.isPending}
      error={save.error}
      onSubmit={({ name = '', description = '' }) => save.mutate({ name, description })}
    >
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
    </FormDialog>
  );
}

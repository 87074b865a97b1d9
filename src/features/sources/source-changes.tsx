import { useMutation } from '@tanstack/react-query';
import { Pause, Pencil, Play, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  deleteSourceMutation,
  scanSourceMutation,
  type Source,
  updateSourceMutation,
} from '../../api/generated/api/index.ts';
import { sourcesKey } from '../../api/sources.ts';
import { countItems } from '../../lib/format.ts';
import { countItemsOf } from '../../lib/source-counts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EditSourceDialog } from './edit-source-dialog.tsx';

type Of = { source: Source };

/** Scans a source now. What is away is looked for again. */
export function ScanButton({ source }: Of) {
  const scan = useMutation({ ...scanSourceMutation(), meta: { reload: [sourcesKey] } });
  const isBusy = ['new', 'scanning', 'removing', 'paused'].includes(source.state);
  return (
    <Button
      size="small"
      disabled={isBusy || scan.isPending}
      onClick={() => scan.mutate({ path: { id: source.id }, body: {} })}
    >
      <RotateCw aria-hidden />
      {source.state === 'offline' ? 'Look again' : 'Rescan'}
    </Button>
  );
}

/** Lets a source wait, or go on. */
export function PauseButton({ source: { id, state } }: Of) {
  const change = useMutation({ ...updateSourceMutation(), meta: { reload: [sourcesKey] } });
  const isPaused = state === 'paused';
  const Icon = isPaused ? Play : Pause;
  return (
    <Button
      size="small"
      disabled={change.isPending || state === 'removing'}
      onClick={() => change.mutate({ path: { id }, body: { paused: !isPaused } })}
    >
      <Icon aria-hidden />
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  );
}

/** Opens the form that changes a source. */
export function EditButton({ source }: Of) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        icon={Pencil}
        size="smallIcon"
        label={`Edit ${source.name}`}
        disabled={source.state === 'removing'}
        onClick={() => setOpen(true)}
      />
      {open ? <EditSourceDialog source={source} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** Removes a source. It is asked about before: what is lost is what was made of its files, not the files. */
export function RemoveButton({ source, onRemoved }: Of & { onRemoved?: () => void }) {
  const { id, name, location, state } = source;
  const remove = useMutation({
    ...deleteSourceMutation(),
    meta: { reload: [sourcesKey], done: `${name} is being removed.` },
    onSuccess: () => onRemoved?.(),
  });
  return (
    <ConfirmDialog
      trigger={
        <IconButton
          icon={Trash2}
          size="smallIcon"
          label={`Remove ${name}`}
          disabled={remove.isPending || state === 'removing'}
        />
      }
      title={`Remove ${name}?`}
      confirm="Remove source"
      onConfirm={() => remove.mutate({ path: { id } })}
    >
      {countItems(countItemsOf(source))} and what was made of them leave the library: thumbnails, texts, labels,
      ratings, comments and places in collections. This cannot be undone. The files in {location} stay as they are;
      added again, they are indexed from the beginning.
    </ConfirmDialog>
  );
}

/** Takes what is missing as deleted, where most of a source is missing: nobody but a person knows whether it is. */
export function AcceptMissing({ source: { id, name } }: Of) {
  const scan = useMutation({ ...scanSourceMutation(), meta: { reload: [sourcesKey] } });
  return (
    <ConfirmDialog
      trigger={
        <Button size="small" disabled={scan.isPending}>
          Take what is missing as deleted
        </Button>
      }
      title={`Were the files of ${name} deleted?`}
      confirm="They were deleted"
      onConfirm={() => scan.mutate({ path: { id }, body: { accept_missing: true } })}
    >
      The items whose files are missing go to the trash, where they can be restored for 30 days. If the disk or the
      share is only not there at the moment, cancel: its items stay as they are until it is back.
    </ConfirmDialog>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { Check, Pencil, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { type MediaItem, updateMedia } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { IconButton } from '../../ui/button.tsx';
import { splitName, withExtension } from './file-name.ts';

/** The name of an item as the heading of its page, and a field to change it in its place. */
export function ItemTitle({ item }: { item: MediaItem }) {
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    // Once the button is there again.
    requestAnimationFrame(() => edit.current?.focus());
  };
  if (editing) return <NameForm item={item} onClose={close} />;
  return (
    <div className="flex min-w-0 items-center gap-1">
      <h1 className="min-w-0 text-lg font-semibold wrap-anywhere md:truncate" title={item.filename}>
        {item.filename}
      </h1>
      <IconButton icon={Pencil} label="Rename" ref={edit} className="max-sm:size-11" onClick={() => setEditing(true)} />
    </div>
  );
}

/** Enter saves, Escape leaves the name as it was. */
function NameForm({ item, onClose }: { item: MediaItem; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(item.filename);
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const save = async (filename: string) => {
    setSaving(true);
    try {
      const answer = await updateMedia({ path: { id: item.id }, body: { filename } });
      client.setQueryData(mediaItemOptions(item.id).queryKey, answer);
      onClose();
      await reloadMedia(client);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      setSaving(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = withExtension(name.trim(), item.filename);
    if (next === item.filename) onClose();
    else void save(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <form onSubmit={submit} className="min-w-0 flex-1">
      <h1 className="sr-only">{item.filename}</h1>
      <div className="flex items-center gap-1">
        <input
          aria-label="File name"
          aria-invalid={failure !== null}
          aria-describedby={failure === null ? undefined : 'rename-failure'}
          value={name}
          maxLength={510}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field takes the place of the button that was just pressed
          autoFocus
          // What tells one file from another is its name, not its extension.
          onFocus={({ currentTarget }) => currentTarget.setSelectionRange(0, splitName(item.filename).base.length)}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={onKeyDown}
          className="h-9 w-full min-w-0 rounded-control border border-line bg-surface px-2.5 text-lg font-semibold aria-invalid:border-danger"
        />
        <IconButton icon={Check} label="Save" type="submit" title="Save (Enter)" disabled={saving} />
        <IconButton icon={X} label="Cancel" title="Cancel (Esc)" onClick={onClose} />
      </div>
      {failure === null ? null : (
        <p id="rename-failure" role="alert" className="mt-1 text-label text-danger">
          {failure}
        </p>
      )}
    </form>
  );
}

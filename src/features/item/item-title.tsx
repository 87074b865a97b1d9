import { useQueryClient } from '@tanstack/react-query';
import { Check, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { type MediaItem, updateMedia } from '../../api/generated/api/index.ts';
import { mediaItemOptions } from '../../api/queries.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { IconButton } from '../../ui/button.tsx';
import { splitName, withExtension } from './file-name.ts';

/** The name of an item as the heading of its page, in one line; while it is changed a field in its place. */
export const ItemTitle = ({
  item,
  isRenaming,
  onRenamed,
}: {
  item: MediaItem;
  isRenaming: boolean;
  /** The field was closed. */
  onRenamed: () => void;
}) =>
  isRenaming ? (
    <NameForm item={item} onClose={onRenamed} />
  ) : (
    <h1 className="truncate text-title font-semibold" title={item.filename}>
      {item.filename}
    </h1>
  );

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
    <form onSubmit={submit} className="relative">
      <h1 className="sr-only">{item.filename}</h1>
      <div className="flex items-center gap-1">
        <input
          aria-label="File name"
          aria-invalid={failure !== null}
          aria-describedby={failure === null ? undefined : 'rename-failure'}
          value={name}
          maxLength={510}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field takes the place of the name
          autoFocus
          // What tells one file from another is its name, not its extension.
          onFocus={({ currentTarget }) => currentTarget.setSelectionRange(0, splitName(item.filename).base.length)}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={onKeyDown}
          className="h-9 w-full min-w-0 rounded-control border border-line bg-surface px-2.5 font-semibold aria-invalid:border-danger"
        />
        <IconButton icon={Check} label="Save" type="submit" title="Save (Enter)" disabled={saving} />
        <IconButton icon={X} label="Cancel" title="Cancel (Esc)" onClick={onClose} />
      </div>
      {failure === null ? null : (
        <p
          id="rename-failure"
          role="alert"
          className="absolute top-full mt-1 rounded-control bg-danger-soft px-2.5 py-1 text-label text-danger"
        >
          {failure}
        </p>
      )}
    </form>
  );
}

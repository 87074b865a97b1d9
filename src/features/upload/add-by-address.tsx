import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { refreshLists } from '../../api/follow-items.ts';
import { importMedia } from '../../api/generated/api/index.ts';
import { shownInForm } from '../../api/request.ts';
import { paths } from '../../paths.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.ts';

/**
 * Has the service download a file. It stays open until the file is there; closing it ends the download.
 * @param address what was pasted; empty to type one
 */
export function AddByAddress({ address, onClose }: { address: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [closing] = useState(() => new AbortController());
  const add = useMutation({
    meta: shownInForm,
    mutationFn: (url: string) => importMedia({ body: { url }, signal: closing.signal }),
    onSuccess: ({ data: { id, filename }, meta }) => {
      refreshLists();
      onClose();
      toast.success(meta?.duplicate ? `${filename} is in the library already.` : `${filename} was added.`, {
        action: { label: 'View', onClick: () => void navigate(paths.media(id)) },
      });
    },
  });
  const close = () => {
    closing.abort();
    onClose();
  };
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && close()}
      title="Add by address"
      description="The service downloads the file, which takes as long as its server does. Closing this ends it."
      submit={add.isPending ? 'Downloading…' : 'Add'}
      busy={add.isPending}
      error={add.error}
      onSubmit={({ url = '' }) => add.mutate(url.trim())}
    >
      <TextField
        label="Address of a video or an image"
        name="url"
        type="url"
        defaultValue={address}
        placeholder="https://"
        maxLength={2048}
        required
        autoComplete="off"
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
    </FormDialog>
  );
}

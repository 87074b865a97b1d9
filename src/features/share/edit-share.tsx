import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { Share, UpdateShareData } from '../../api/generated/api/index.ts';
import { useUpdateShare } from '../../api/shares.ts';
import { formatDate } from '../../lib/format.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { OptionFields, PageFields, PasswordField, type ShareOptions } from './share-options.tsx';

/** Changes what a link allows and when it expires. */
export function EditShare({ share, name }: { share: Share; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton icon={Pencil} label={`Edit link to ${name}`} title="Edit" onClick={() => setOpen(true)} />
      {open ? <EditForm share={share} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function EditForm({ share, onClose }: { share: Share; onClose: () => void }) {
  const update = useUpdateShare();
  const { download, comments } = share;
  const [options, setOptions] = useState<ShareOptions>({ download, comments, hours: null });
  const [isOpened, setOpened] = useState(false);
  const submit = ({ title = '', note = '', password = '' }: Record<string, string>) => {
    const changes: UpdateShareData['body'] = {
      title: title.trim() === '' ? null : title.trim(),
      note: note.trim() === '' ? null : note.trim(),
      download: options.download,
      comments: options.comments,
      ...(options.hours === null ? {} : { expires_in_hours: Number(options.hours) }),
      ...(password === '' ? (isOpened ? { password: null } : {}) : { password }),
    };
    update.mutate({ id: share.id, changes }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      open
      onOpenChange={(shown) => !shown && onClose()}
      title="Edit link"
      submit="Save"
      busy={update.isPending}
      error={update.error}
      onSubmit={submit}
    >
      <PageFields title={share.title} note={share.note} />
      <OptionFields
        options={options}
        originals={share.kind !== 'moment'}
        kept={`It works until ${formatDate(share.expires_at)}; choose a time to count from now.`}
        onChange={setOptions}
      />
      <PasswordField hint={describePassword(share.has_password, isOpened)} />
      {share.has_password && !isOpened ? (
        <Button size="small" onClick={() => setOpened(true)}>
          Remove the password
        </Button>
      ) : null}
    </FormDialog>
  );
}

function describePassword(hasOne: boolean, isOpened: boolean): string {
  if (!hasOne) return 'Optional. At least 10 characters.';
  return isOpened ? 'The link is enough once this is saved.' : 'Leave it empty to keep the present one.';
}

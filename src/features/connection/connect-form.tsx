import { useMutation } from '@tanstack/react-query';
import { connectTo } from '../../api/connection.ts';
import { shownInForm } from '../../api/request.ts';
import { tryConnection } from '../../api/try-connection.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';

/** Asks for the URL and key of another service, tries them, and switches to that service. */
export function ConnectForm({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const connect = useMutation({ meta: shownInForm, mutationFn: tryConnection, onSuccess: connectTo });
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Connect to another server"
      description="Enter the URL of a server with the same API and an API key of a workspace there. Kept until this tab is closed."
      submit="Connect"
      busy={connect.isPending}
      error={connect.error}
      onSubmit={({ address = '', key = '' }) => connect.mutate({ address: address.trim().replace(/\/+$/, ''), key })}
    >
      <TextField
        label="API URL"
        name="address"
        type="url"
        placeholder="https://media.example/api/v1"
        pattern="https?://.*"
        required
      />
      <TextField label="API key" name="key" type="password" autoComplete="off" required />
    </FormDialog>
  );
}

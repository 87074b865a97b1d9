import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changePassword, type Session, updateProfile } from '../../api/generated/dashboard/index.ts';
import { shownInForm } from '../../api/request.ts';
import { adoptSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { NewPasswordField, TextField } from '../../ui/text-field.tsx';

/**
 * Asks a person who came by a link for a password, without which signing out locks out: only the operator can make another link.
 * @param onSignOut ends the session
 */
export function SignOutDialog({
  person,
  onClose,
  onSignOut,
}: {
  person: Session['person'];
  onClose: () => void;
  onSignOut: () => void;
}) {
  const client = useQueryClient();
  const save = useMutation({
    meta: shownInForm,
    mutationFn: async ({ email, new_password }: { email?: string | undefined; new_password: string }) => {
      // The address first: without one a password is of no use.
      if (email !== undefined) await updateProfile({ body: { name: person.name, email } });
      return changePassword({ body: { new_password } });
    },
    onSuccess: async ({ data }) => {
      await adoptSession(client, data);
      onSignOut();
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Set a password before you sign out"
      description="You came by a link, which works once. Without a password you can sign in again only with a new link from the operator of the server."
      submit="Set password and sign out"
      busy={save.isPending}
      error={save.error}
      onSubmit={({ email, new_password = '' }) => save.mutate({ email, new_password })}
    >
      {person.email === null ? (
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete="username"
          required
          hint="To sign in with. No messages are sent to it."
        />
      ) : null}
      <NewPasswordField label="New password" name="new_password" />
      <Button variant="quiet" size="small" className="-ml-2.5" disabled={save.isPending} onClick={onSignOut}>
        Sign out without a password
      </Button>
    </FormDialog>
  );
}

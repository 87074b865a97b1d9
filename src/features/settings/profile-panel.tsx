import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from 'sonner';
import { changePasswordMutation, type Session, updateProfileMutation } from '../../api/generated/dashboard/index.ts';
import { adoptSession } from '../../api/session.ts';
import { fieldsOf } from '../../lib/form-fields.ts';
import { type Theme, themes, useTheme } from '../../lib/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextField } from '../../ui/text-field.tsx';

const themeNames: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

/** Name, e-mail address, password and theme of who is signed in. */
export function ProfilePanel({ person }: { person: Session['person'] }) {
  return (
    <div className="space-y-5">
      <Profile person={person} />
      <Password isSet={person.has_password} />
      <Appearance />
    </div>
  );
}

function Profile({ person }: { person: Session['person'] }) {
  const client = useQueryClient();
  const save = useMutation({
    ...updateProfileMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      toast.success('Profile saved.');
    },
  });
  return (
    <Panel title="Profile" description="The e-mail address is used to sign in. No messages are sent to it.">
      <form
        className="max-w-sm space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          const { name = '', email = '' } = fieldsOf(event.currentTarget);
          save.mutate({ body: { name, ...(email === '' ? {} : { email }) } });
        }}
      >
        <TextField label="Name" name="name" defaultValue={person.name} autoComplete="name" maxLength={120} required />
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          defaultValue={person.email ?? ''}
          autoComplete="username"
          error={save.error?.message}
        />
        <Button type="submit" disabled={save.isPending}>
          Save
        </Button>
      </form>
    </Panel>
  );
}

function Password({ isSet }: { isSet: boolean }) {
  const client = useQueryClient();
  const change = useMutation({
    ...changePasswordMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      toast.success('Password changed. You were signed out on all other devices.');
    },
  });
  const description = isSet
    ? 'Changing it signs you out on all other devices.'
    : 'With an e-mail address and a password you can sign in without a link.';
  return (
    <Panel title="Password" description={description}>
      <form
        // A new form after each change, so that no password stays in it.
        key={change.submittedAt}
        className="max-w-sm space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          const { current_password, new_password = '' } = fieldsOf(event.currentTarget);
          change.mutate({ body: { new_password, ...(current_password === undefined ? {} : { current_password }) } });
        }}
      >
        {isSet ? (
          <TextField
            label="Current password"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
          />
        ) : null}
        <TextField
          label="New password"
          name="new_password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={200}
          required
          hint="At least 10 characters"
          error={change.error?.message}
        />
        <Button type="submit" disabled={change.isPending}>
          {isSet ? 'Change password' : 'Set password'}
        </Button>
      </form>
    </Panel>
  );
}

function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <Panel title="Appearance">
      <Choice
        label="Theme"
        value={theme}
        options={themes.map((value) => ({ value, text: themeNames[value] }))}
        onChange={(value) => setTheme(value ?? 'system')}
      />
    </Panel>
  );
}

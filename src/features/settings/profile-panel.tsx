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

const themeNames: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

/** Name, e-mail address, password and theme of who is signed in. */
export function ProfilePanel({ person }: { person: Session['person'] }) {
  const client = useQueryClient();
  const [theme, setTheme] = useTheme();
  const profile = useMutation({
    ...updateProfileMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      toast.success('Your profile was saved.');
    },
  });
  const password = useMutation({
    ...changePasswordMutation(),
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      toast.success('Your password was changed. You were signed out everywhere else.');
    },
  });
  return (
    <div className="space-y-5">
      <Panel title="Profile" description="You sign in with the e-mail address. Nothing is sent to it.">
        <form
          className="max-w-sm space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            const { name = '', email = '' } = fieldsOf(event.currentTarget);
            profile.mutate({ body: { name, ...(email === '' ? {} : { email }) } });
          }}
        >
          <TextField label="Name" name="name" defaultValue={person.name} autoComplete="name" maxLength={120} required />
          <TextField
            label="E-mail address"
            name="email"
            type="email"
            defaultValue={person.email ?? ''}
            autoComplete="username"
            error={profile.error?.message}
          />
          <Button type="submit" disabled={profile.isPending}>
            Save
          </Button>
        </form>
      </Panel>
      <Panel
        title="Password"
        description={
          person.has_password
            ? 'Changing it signs you out everywhere else.'
            : 'With an e-mail address and a password you can sign in without a link.'
        }
      >
        <form
          // A new form after each change, so that no password stays in it.
          key={password.submittedAt}
          className="max-w-sm space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            const { current_password, new_password = '' } = fieldsOf(event.currentTarget);
            password.mutate({
              body: { new_password, ...(current_password === undefined ? {} : { current_password }) },
            });
          }}
        >
          {person.has_password ? (
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
            error={password.error?.message}
          />
          <Button type="submit" disabled={password.isPending}>
            {person.has_password ? 'Change password' : 'Set password'}
          </Button>
        </form>
      </Panel>
      <Panel title="Appearance">
        <Choice
          label="Theme"
          value={theme}
          options={themes.map((value) => ({ value, text: themeNames[value] }))}
          onChange={(value) => setTheme(value ?? 'system')}
        />
      </Panel>
    </div>
  );
}

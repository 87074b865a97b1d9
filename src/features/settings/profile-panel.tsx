import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changePasswordMutation, type Session, updateProfileMutation } from '../../api/generated/dashboard/index.ts';
import { shownInForm } from '../../api/request.ts';
import { adoptSession, signOut } from '../../api/session.ts';
import { useDeveloperMode } from '../../lib/developer-mode.ts';
import { type Theme, themes, useTheme } from '../../lib/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Panel } from '../../ui/panel.tsx';
import { NewPasswordField, TextField } from '../../ui/text-field.tsx';
import { toast } from '../../ui/toast.ts';
import { Toggle } from '../../ui/toggle.tsx';

const themeNames: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

/** Name, e-mail address, password and theme of the person who is signed in. */
export function ProfilePanel({ person, forget }: { person: Session['person']; forget: () => Promise<void> }) {
  return (
    <div className="space-y-5">
      <Profile person={person} />
      <Password isSet={person.has_password} />
      <Sessions hasPassword={person.has_password} forget={forget} />
      <Appearance />
    </div>
  );
}

function Profile({ person }: { person: Session['person'] }) {
  const client = useQueryClient();
  const [address, setAddress] = useState(person.email ?? '');
  const isMoved = address.trim().toLowerCase() !== (person.email ?? '');
  const save = useMutation({
    ...updateProfileMutation(),
    meta: shownInForm,
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      toast.success('Profile saved.');
    },
  });
  return (
    <Panel title="Name and address" description="The e-mail address is used to sign in. No messages are sent to it.">
      <Form
        error={save.error}
        className="max-w-sm space-y-4"
        onSubmit={({ name = '', email = '', current_password }) =>
          save.mutate({
            body: {
              name,
              ...(email === '' ? {} : { email }),
              ...(current_password === undefined ? {} : { current_password }),
            },
          })
        }
      >
        <TextField label="Name" name="name" defaultValue={person.name} autoComplete="name" maxLength={120} required />
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          value={address}
          onChange={({ target }) => setAddress(target.value)}
          autoComplete="username"
        />
        {isMoved && person.has_password ? (
          <TextField
            label="Password for the new address"
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
            hint="Another address signs you out on all other devices"
          />
        ) : null}
        <Button type="submit" disabled={save.isPending}>
          Save
        </Button>
      </Form>
    </Panel>
  );
}

function Password({ isSet }: { isSet: boolean }) {
  const client = useQueryClient();
  const [changes, setChanges] = useState(0);
  const change = useMutation({
    ...changePasswordMutation(),
    meta: shownInForm,
    onSuccess: async ({ data: session }) => {
      await adoptSession(client, session);
      setChanges((before) => before + 1);
      toast.success('Password changed. You were signed out on all other devices.');
    },
  });
  const description = isSet
    ? 'Changing it signs you out on all other devices.'
    : 'With an e-mail address and a password you can sign in without a link.';
  return (
    <Panel title="Password" description={description}>
      <Form
        // A new form after each change, so that no password stays in it.
        key={changes}
        error={change.error}
        className="max-w-sm space-y-4"
        onSubmit={({ current_password, new_password = '' }) =>
          change.mutate({ body: { new_password, ...(current_password === undefined ? {} : { current_password }) } })
        }
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
        <NewPasswordField label="New password" name="new_password" />
        <Button type="submit" disabled={change.isPending}>
          {isSet ? 'Change password' : 'Set password'}
        </Button>
      </Form>
    </Panel>
  );
}

/** Signs out on all devices. @param forget removes what this browser keeps of the person */
function Sessions({ hasPassword, forget }: { hasPassword: boolean; forget: () => Promise<void> }) {
  const leave = useMutation({
    mutationFn: async () => {
      await signOut(true);
      await forget();
    },
    onSuccess: () => window.location.assign('/'),
  });
  return (
    <Panel title="Devices" description="Ends your sessions on all devices, this one too, and unused sign-in links.">
      <ConfirmDialog
        trigger={<Button disabled={leave.isPending}>Sign out everywhere</Button>}
        title="Sign out everywhere?"
        confirm="Sign out"
        onConfirm={() => leave.mutate()}
      >
        {hasPassword
          ? 'You sign in again with your e-mail address and password.'
          : 'You have no password yet: without one you can sign in again only with a new link from the operator. Set a password first.'}
      </ConfirmDialog>
    </Panel>
  );
}

function Appearance() {
  const [theme, setTheme] = useTheme();
  const [developer, setDeveloper] = useDeveloperMode();
  return (
    <Panel title="Appearance">
      <div className="space-y-4">
        <Choice
          label="Theme"
          value={theme}
          options={themes.map((value) => ({ value, text: themeNames[value] }))}
          onChange={(value) => setTheme(value ?? 'system')}
        />
        <div>
          <Toggle pressed={developer} onChange={setDeveloper}>
            Developer mode
          </Toggle>
          <p className="mt-1.5 text-label text-quiet">
            Shows API requests, checksums, scores and models, and the commands of operators. In this browser only.
          </p>
        </div>
      </div>
    </Panel>
  );
}

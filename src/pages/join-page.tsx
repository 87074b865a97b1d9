import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { shownInForm } from '../api/request.ts';
import { adoptSession, forgetOtherQueries, invitationOptions, join, sessionOptions } from '../api/session.ts';
import { formatDate } from '../lib/format.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Entrance } from '../ui/entrance.tsx';
import { Form } from '../ui/form.tsx';
import { NewPasswordField, TextField } from '../ui/text-field.tsx';

/** Opened by an invitation link: joins as the person who is signed in, or as a new one. */
export function JoinPage() {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const navigate = useNavigate();
  const client = useQueryClient();
  const session = useQuery(sessionOptions);
  const invitation = useQuery(invitationOptions(token));
  const enter = useMutation({
    meta: shownInForm,
    mutationFn: join,
    onSuccess: async (data) => {
      await adoptSession(client, data);
      // What was shown belongs to another workspace.
      forgetOtherQueries(client);
      await navigate(paths.library, { replace: true });
    },
  });

  if (invitation.isPending || session.isPending) return <Entrance title="Opening the invitation…">{null}</Entrance>;
  if (invitation.isError) {
    return (
      <Entrance title="This invitation cannot be used" error={invitation.error.message}>
        <p className="mt-4 leading-relaxed text-quiet">Ask the person who invited you for a new one.</p>
        <Button asChild className="mt-5 w-full">
          <Link to={paths.library}>Go to Media Search</Link>
        </Button>
      </Entrance>
    );
  }
  const { workspace, role, invited_by, expires_at } = invitation.data;
  const person = session.data?.person;
  return (
    <Entrance title={`Join ${workspace.name}`}>
      <p className="mt-3 leading-relaxed text-quiet">
        {invited_by} invites you as {role === 'owner' ? 'an owner' : 'a member'}. The link expires{' '}
        {formatDate(expires_at)}.
      </p>
      <Form error={enter.error} onSubmit={(fields) => enter.mutate({ token, ...fields })} className="mt-5 space-y-4">
        {person ? (
          <p>
            You are signed in as <strong>{person.name}</strong>.
          </p>
        ) : (
          <NewAccountFields />
        )}
        <Button type="submit" variant="primary" className="w-full" disabled={enter.isPending}>
          {enter.isPending ? 'Joining…' : 'Join'}
        </Button>
      </Form>
    </Entrance>
  );
}

/** The fields of a new account. */
const NewAccountFields = () => (
  <>
    <TextField label="Your name" name="name" autoComplete="name" maxLength={120} required />
    <TextField label="E-mail address" name="email" type="email" autoComplete="username" required />
    <NewPasswordField label="Password" name="password" />
  </>
);

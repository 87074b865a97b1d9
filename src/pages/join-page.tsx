import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { ApiError } from '../api/client.ts';
import { adoptSession, forgetOtherQueries, invitationOptions, join, sessionOptions } from '../api/session.ts';
import { fieldsOf } from '../lib/form-fields.ts';
import { formatDate } from '../lib/format.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Entrance } from '../ui/entrance.tsx';
import { TextField } from '../ui/text-field.tsx';

/** Opened by an invitation link: joins as who is signed in, or as somebody new. */
export function JoinPage() {
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const navigate = useNavigate();
  const client = useQueryClient();
  const session = useQuery(sessionOptions);
  const invitation = useQuery(invitationOptions(token));
  const enter = useMutation({
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    enter.mutate({ token, ...fieldsOf(event.currentTarget) });
  };
  const person = session.data?.person;
  return (
    <Entrance title={`Join ${workspace.name}`} error={enter.error?.message}>
      <p className="mt-3 leading-relaxed text-quiet">
        {invited_by} invites you as {role === 'owner' ? 'an owner' : 'a member'}. The link expires{' '}
        {formatDate(expires_at)}.
      </p>
      <form onSubmit={submit} className="mt-5 space-y-4">
        {person ? (
          <p>
            You are signed in as <strong>{person.name}</strong>.
          </p>
        ) : (
          <NewAccountFields error={enter.error} />
        )}
        <Button type="submit" variant="primary" className="w-full" disabled={enter.isPending}>
          {enter.isPending ? 'Joining…' : 'Join'}
        </Button>
      </form>
    </Entrance>
  );
}

/** Who somebody new is, each field with what the service found wrong in it. */
function NewAccountFields({ error }: { error: unknown }) {
  const errorOf = (field: string) =>
    error instanceof ApiError ? error.details.find(({ path }) => path === `body.${field}`)?.message : undefined;
  return (
    <>
      <TextField label="Your name" name="name" autoComplete="name" maxLength={120} required error={errorOf('name')} />
      <TextField
        label="E-mail address"
        name="email"
        type="email"
        autoComplete="username"
        required
        error={errorOf('email')}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        maxLength={200}
        required
        hint="At least 10 characters"
        error={errorOf('password')}
      />
    </>
  );
}

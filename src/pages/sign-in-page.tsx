import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { ApiError } from '../../clients/typescript/api-error.ts';
import { shownInForm } from '../api/request.ts';
import { adoptSession, sessionOptions, signIn } from '../api/session.ts';
import { ConnectForm } from '../features/connection/connect-form.tsx';
import { fieldsOf } from '../lib/form-fields.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Entrance } from '../ui/entrance.tsx';
import { TextField } from '../ui/text-field.tsx';

/** Why a sign-in failed, in words about what was entered. */
function describeRefusal(error: Error, entered: Parameters<typeof signIn>[0] | undefined): ReactNode {
  if (error instanceof ApiError && error.status === 429 && error.retryAt !== null) {
    return (
      <>
        Too many attempts. Try again <Countdown key={error.retryAt} until={error.retryAt} />
      </>
    );
  }
  if (!(error instanceof ApiError) || error.code !== 'validation_error') return error.message;
  return entered && 'token' in entered
    ? 'This is not a sign-in link. Paste the whole link that the server printed.'
    : 'E-mail address or password is wrong.';
}

/** The token in a pasted link, or the text itself. */
const tokenIn = (text: string): string => /[?&]token=([\w-]+)/.exec(text)?.[1] ?? text.trim();

/** Opened by a sign-in link, or to sign in with a password. */
export function SignInPage() {
  const [search] = useSearchParams();
  const token = search.get('token');
  const location = useLocation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const session = useQuery(sessionOptions);
  const [connecting, setConnecting] = useState(false);
  const enter = useMutation({ meta: shownInForm, mutationFn: signIn, onSuccess: (data) => adoptSession(client, data) });

  useEffect(() => {
    if (!token) return;
    // The token works once: it leaves the URL first, which also keeps a second effect from sending it again.
    void navigate(paths.signIn, { replace: true });
    if (!spent.has(token)) {
      spent.add(token);
      enter.mutate({ token });
    }
  }, [token, enter, navigate]);

  if (session.data) {
    const { from } = (location.state ?? {}) as { from?: string };
    return <Navigate to={from ?? paths.library} replace />;
  }
  const submitPassword = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { email = '', password = '' } = fieldsOf(event.currentTarget);
    enter.mutate({ email, password });
  };
  return (
    <Entrance
      title="Sign in to Media Search"
      error={enter.error ? describeRefusal(enter.error, enter.variables) : undefined}
    >
      <form onSubmit={submitPassword} className="mt-5 space-y-4">
        <TextField label="E-mail address" name="email" type="email" autoComplete="username" required />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        <Button type="submit" variant="primary" className="w-full" disabled={enter.isPending}>
          {enter.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <LinkForm busy={enter.isPending} onToken={(linkToken) => enter.mutate({ token: linkToken })} />
      <p className="mt-5 border-t border-line pt-5 text-quiet">
        <button type="button" onClick={() => setConnecting(true)} className="underline hover:text-ink">
          Connect to another server
        </button>{' '}
        with its URL and an API key.
      </p>
      <ConnectForm open={connecting} onOpenChange={setConnecting} />
    </Entrance>
  );
}

/** Signs in with the link that the service prints. */
function LinkForm({ busy, onToken }: { busy: boolean; onToken: (token: string) => void }) {
  const submitLink = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onToken(tokenIn(fieldsOf(event.currentTarget)['link'] ?? ''));
  };
  return (
    <details className="group mt-6 border-t border-line pt-5">
      <summary className="cursor-pointer font-medium marker:text-quiet">Sign in with a link instead</summary>
      <p className="mt-3 leading-relaxed text-quiet">
        Open the link that the server printed when it started. To get a new one, run this in its folder:
      </p>
      <code className="mt-3 block overflow-x-auto rounded-control bg-raised px-3 py-2 text-xs whitespace-nowrap">
        npm run --silent admin -- sign-in-link
      </code>
      <form onSubmit={submitLink} className="mt-4 space-y-3">
        <TextField label="Sign-in link" name="link" autoComplete="off" required />
        <Button type="submit" className="w-full" disabled={busy}>
          Sign in with this link
        </Button>
      </form>
    </details>
  );
}

/** Tokens sent already. Outside the component, because React runs effects twice in development. */
const spent = new Set<string>();

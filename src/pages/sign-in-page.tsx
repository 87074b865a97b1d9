import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { sessionOptions, signIn } from '../api/session.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';

/** The token in a pasted link, or the text itself. */
const tokenIn = (text: string): string => /[?&]token=([\w-]+)/.exec(text)?.[1] ?? text.trim();

/** Opened by a sign-in link; without one, tells how to get one. */
export function SignInPage() {
  const [search] = useSearchParams();
  const token = search.get('token');
  const location = useLocation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const session = useQuery(sessionOptions);
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: async (data) => {
      // An answer from before ("nobody is signed in") may still be on its way; it must not come last.
      await client.cancelQueries({ queryKey: sessionOptions.queryKey });
      client.setQueryData(sessionOptions.queryKey, data);
    },
  });

  useEffect(() => {
    if (!token) return;
    // The token works once: it leaves the address first, which also keeps a second effect from sending it again.
    void navigate(paths.signIn, { replace: true });
    if (!spent.has(token)) {
      spent.add(token);
      enter.mutate(token);
    }
  }, [token, enter, navigate]);

  if (session.data) {
    const { from } = (location.state ?? {}) as { from?: string };
    return <Navigate to={from ?? paths.library} replace />;
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('link');
    if (typeof text === 'string' && text.trim() !== '') enter.mutate(tokenIn(text));
  };
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm rounded-2xl border border-line bg-surface p-7 shadow-float">
        <img src="/favicon.svg" alt="" className="size-10" />
        <h1 className="mt-5 text-xl font-semibold">Sign in to Media Search</h1>
        {enter.isError ? (
          <p role="alert" className="mt-4 rounded-control bg-danger-soft px-3 py-2.5 text-danger">
            {enter.error.message}
          </p>
        ) : null}
        <p className="mt-3 leading-relaxed text-quiet">
          Open the sign-in link that the service printed when it started. For a new one, run this in its folder:
        </p>
        <code className="mt-3 block overflow-x-auto rounded-control bg-raised px-3 py-2 text-xs whitespace-nowrap">
          npm run --silent admin -- sign-in-link
        </code>
        <form onSubmit={submit} className="mt-5 space-y-3">
          <label className="block">
            <span className="font-medium">Sign-in link</span>
            <input
              name="link"
              autoComplete="off"
              className="mt-1.5 h-9 w-full rounded-control border border-line bg-canvas px-3"
            />
          </label>
          <Button type="submit" look="primary" className="w-full" disabled={enter.isPending}>
            {enter.isPending ? 'Signing in…' : 'Sign in'}
          </Button>
        </form>
      </div>
    </main>
  );
}

/** Tokens sent already. Outside the component, because React runs effects twice in development. */
const spent = new Set<string>();

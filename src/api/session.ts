import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, dashboardApi, setApiKey, unwrap } from './client.ts';
import type { Session } from './generated/dashboard-api.ts';

/** Takes the session's key into memory. */
function adopt(session: Session): Session {
  setApiKey(session.workspace.api_key);
  return session;
}

/** Who is signed in; null when nobody is. */
export const sessionOptions = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    const { data } = await unwrap(dashboardApi.GET('/auth/session', { signal }));
    if (data) return adopt(data);
    setApiKey(null);
    return null;
  },
  staleTime: 5 * 60_000,
});

/** Asks every other second whether the service is there. */
export const knockOptions = queryOptions({
  queryKey: ['knock'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/workspace', { signal }))).data.id,
  refetchInterval: 2000,
  retry: false,
  gcTime: 0,
});

/** Makes a new session the one that is shown. */
export async function adoptSession(client: QueryClient, session: Session): Promise<void> {
  // An answer from before ("nobody is signed in") may still be on its way; it must not come last.
  await client.cancelQueries({ queryKey: sessionOptions.queryKey });
  client.setQueryData(sessionOptions.queryKey, session);
}

/** What an invitation link offers. */
export const invitationOptions = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) =>
      (await unwrap(dashboardApi.POST('/auth/invitation', { body: { token }, signal }))).data,
    staleTime: Infinity,
  });

/** Accepts an invitation, as who is signed in or as somebody new. */
export const join = async (body: {
  token: string;
  name?: string;
  email?: string;
  password?: string;
}): Promise<Session> => adopt((await unwrap(dashboardApi.POST('/auth/join', { body }))).data);

/** Signs in with the one-time token of a link, or with e-mail address and password. */
export const signIn = async (credentials: { token: string } | { email: string; password: string }): Promise<Session> =>
  adopt((await unwrap(dashboardApi.POST('/auth/sign-in', { body: credentials }))).data);

export async function signOut(): Promise<void> {
  await unwrap(dashboardApi.POST('/auth/sign-out'));
  setApiKey(null);
}

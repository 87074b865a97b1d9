import { hashKey, type QueryClient, queryOptions } from '@tanstack/react-query';
import { clearShared } from '../lib/shared-files.ts';
import { setApiKey } from './client.ts';
import { getWorkspace, getWorkspaceQueryKey } from './generated/api/index.ts';
import {
  getSession,
  getSessionQueryKey,
  join as sendJoin,
  type JoinData,
  readInvitationOptions,
  type Session,
  signIn as sendSignIn,
  type SignInData,
  signOut as sendSignOut,
  signOutEverywhere,
} from './generated/dashboard/index.ts';

/** Takes the session's key into memory. */
function adopt(session: Session): Session {
  setApiKey(session.workspace.api_key);
  return session;
}

/** The session of the person who is signed in; null without one. */
export const sessionOptions = queryOptions({
  queryKey: getSessionQueryKey(),
  queryFn: async ({ signal }): Promise<Session | null> => {
    const { data } = await getSession({ signal });
    if (data) return adopt(data);
    setApiKey(null);
    return null;
  },
  staleTime: 5 * 60_000,
});

/** Checks every two seconds whether the service answers. Runs only while a component enables it. */
export const healthQueryOptions = queryOptions({
  queryKey: [...getWorkspaceQueryKey(), 'health'],
  queryFn: ({ signal }) => getWorkspace({ signal }),
  refetchInterval: 2000,
  retry: false,
  gcTime: 0,
});

/** Makes a new session the one that is shown. */
export async function adoptSession(client: QueryClient, session: Session): Promise<void> {
  // An earlier answer ("no session") may still be on its way; it must not come last.
  await client.cancelQueries({ queryKey: sessionOptions.queryKey });
  client.setQueryData(sessionOptions.queryKey, session);
}

/** Removes all that was read for another person or workspace. The session's own query stays: pages watch it. */
export function forgetOtherQueries(client: QueryClient): void {
  const kept = hashKey(sessionOptions.queryKey);
  client.removeQueries({ predicate: ({ queryHash }) => queryHash !== kept });
}

/** What an invitation link offers. */
export const invitationOptions = (token: string) =>
  queryOptions({
    ...readInvitationOptions({ body: { token } }),
    select: ({ data }) => data,
    staleTime: Infinity,
  });

/** Accepts an invitation, for the person who is signed in or a new one. */
export const join = async (body: JoinData['body']): Promise<Session> => adopt((await sendJoin({ body })).data);

/** Signs in with the one-time token of a link, or with e-mail address and password. */
export const signIn = async (body: SignInData['body']): Promise<Session> => adopt((await sendSignIn({ body })).data);

/** @param everywhere on all devices, not on this one alone */
export async function signOut(everywhere = false): Promise<void> {
  await (everywhere ? signOutEverywhere() : sendSignOut());
  setApiKey(null);
  // The next person at this browser is not offered it.
  await clearShared();
}

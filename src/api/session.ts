import { queryOptions } from '@tanstack/react-query';
import { requestSession, setApiKey } from './client.ts';

export type Session = {
  person: { id: string; name: string };
  workspace: { id: string; name: string; role: 'owner' | 'member'; api_key: string | null };
};

/** Takes the session's key into memory. */
function adopt(session: Session): Session {
  setApiKey(session.workspace.api_key);
  return session;
}

/** Who is signed in; null when nobody is. */
export const sessionOptions = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    const session = (await requestSession('/auth/session', { signal })) as Session | null;
    if (session) return adopt(session);
    setApiKey(null);
    return null;
  },
  staleTime: 5 * 60_000,
});

/** Trades the one-time token of a sign-in link for a session. */
export const signIn = async (token: string): Promise<Session> =>
  adopt((await requestSession('/auth/sign-in', { body: { token } })) as Session);

export async function signOut(): Promise<void> {
  await requestSession('/auth/sign-out', { body: {} });
  setApiKey(null);
}

import { useQuery } from '@tanstack/react-query';
import { apiUrl, connection } from './connection.ts';
import { type Session } from './generated/dashboard/index.ts';
import { sessionOptions } from './session.ts';

/** Names the workspace that is shown, for what this browser keeps for each of them: its identifier, or the other service's address. */
export const useWorkspaceKey = (): string => useKey(({ workspace }) => workspace.id);

/** Names the person and the workspace of the session, for what this browser keeps of a person: others use the same browser. */
export const usePersonKey = (): string => useKey(({ workspace, person }) => `${person.id} in ${workspace.id}`);

function useKey(describe: (session: Session) => string): string {
  const { data: session } = useQuery({ ...sessionOptions, enabled: !connection });
  if (connection) return apiUrl;
  return session ? describe(session) : '';
}

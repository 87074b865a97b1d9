import { useQuery } from '@tanstack/react-query';
import { apiUrl, connection } from './connection.ts';
import { sessionOptions } from './session.ts';

/** Names the workspace that is shown, for what this browser keeps for each of them: its identifier, or the other service's address. */
export function useWorkspaceKey(): string {
  const { data: session } = useQuery({ ...sessionOptions, enabled: !connection });
  return connection ? apiUrl : (session?.workspace.id ?? '');
}

import type { z } from 'zod';
import type { session } from '../../../../contract/accounts.ts';
import { revealApiKey } from '../../../catalog/accounts/api-keys.ts';
import { listWorkspacesOf } from '../../../catalog/accounts/people.ts';
import { findMember, type Member } from '../../../catalog/accounts/sessions.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';

export type Session = z.output<typeof session>;

/** The session for the dashboard, with the workspace's key, which the dashboard holds in memory only. */
export async function describeSession({ db, secrets }: Dependencies, { person, workspace }: Member): Promise<Session> {
  return {
    person: {
      id: person.id,
      name: person.name,
      email: person.email,
      has_password: person.password_hash !== null,
    },
    workspace: { ...workspace, api_key: (await revealApiKey(db, secrets, workspace.id)) ?? null },
    workspaces: await listWorkspacesOf(db, person.id),
  };
}

/** Describes a session again after something about it changed. */
export async function describeSessionByToken(dependencies: Dependencies, token: string): Promise<Session> {
  const member = await findMember(dependencies.db, token);
  if (!member) throw new ApiError('not_signed_in', 'Sign in first.');
  return describeSession(dependencies, member);
}

import { randomUUIDv7 } from 'node:crypto';
import type { Role } from '../../../contract/accounts.ts';
import { hashToken, randomToken } from '../../platform/crypto/secrets.ts';
import type { Catalog } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { createPerson } from './people.ts';
import { createSession } from './sessions.ts';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

export type InvitationRow = {
  workspace_id: string;
  workspace_name: string;
  id: string;
  role: Role;
  invited_by: string;
  created_at: string;
  expires_at: string;
};

/** Invitations that can still be accepted: their creators still own the workspace. */
const selectOpenInvitations = (db: Catalog) =>
  db
    .selectFrom('invitations')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'invitations.workspace_id')
        .onRef('memberships.person_id', '=', 'invitations.invited_by')
        .on('memberships.role', '=', 'owner'),
    )
    .innerJoin('people', 'people.id', 'invitations.invited_by')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .where('invitations.expires_at', '>', new Date().toISOString())
    .select([
      'invitations.workspace_id',
      'workspaces.name as workspace_name',
      'invitations.id',
      'invitations.role',
      'people.name as invited_by',
      'invitations.created_at',
      'invitations.expires_at',
    ]);

export const listInvitations = (db: Catalog, workspaceId: string): Promise<InvitationRow[]> =>
  selectOpenInvitations(db)
    .where('invitations.workspace_id', '=', workspaceId)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id', 'desc')
    .execute();

export const findInvitation = (db: Catalog, token: string): Promise<InvitationRow | undefined> =>
  selectOpenInvitations(db).where('invitations.token_hash', '=', hashToken(token)).executeTakeFirst();

/**
 * Creates an invitation that can be used once within 7 days. The token is not stored, so it cannot be shown again. Undefined when the
 * inviter does not own the workspace any more.
 */
export function createInvitation(
  db: Catalog,
  workspaceId: string,
  invitedBy: string,
  role: Role,
): Promise<{ invitation: InvitationRow; token: string } | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const now = new Date();
    await transaction.deleteFrom('invitations').where('expires_at', '<', now.toISOString()).execute();
    const token = randomToken();
    await transaction
      .insertInto('invitations')
      .values({
        workspace_id: workspaceId,
        id: randomUUIDv7(),
        token_hash: hashToken(token),
        role,
        invited_by: invitedBy,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + lifetimeMs).toISOString(),
      })
      .execute();
    const invitation = await findInvitation(transaction, token);
    if (invitation) return { invitation, token };
    await deleteInvitationsOf(transaction, workspaceId, invitedBy);
    return undefined;
  });
}

/** Revokes the invitations that a person created. */
export async function deleteInvitationsOf(transaction: Catalog, workspaceId: string, personId: string): Promise<void> {
  await transaction
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('invited_by', '=', personId)
    .execute();
}

/** Revokes an invitation. False when there is none that could be accepted. */
export async function deleteInvitation(db: Catalog, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * Accepts an invitation and uses it up.
 * @param invitee an existing person, or the one to create
 * @returns a session in that workspace
 */
export async function acceptInvitation(
  db: Catalog,
  token: string,
  invitee: { personId: string } | { name: string; email: string; password_hash: string },
): Promise<{ session: string } | 'no invitation' | 'address taken'> {
  const found = await findInvitation(db, token);
  if (!found) return 'no invitation';
  return inWorkspace(db, found.workspace_id, async (transaction) => {
    const invitation = await findInvitation(transaction, token);
    if (!invitation) return 'no invitation';
    const personId = 'personId' in invitee ? invitee.personId : await createPerson(transaction, invitee);
    if (personId === undefined) return 'address taken';
    await transaction
      .insertInto('memberships')
      .values({
        workspace_id: invitation.workspace_id,
        person_id: personId,
        role: invitation.role,
        created_at: new Date().toISOString(),
      })
      // An existing member keeps their role, unless the invitation's is higher.
      .onConflict((conflict) =>
        invitation.role === 'owner'
          ? conflict.columns(['workspace_id', 'person_id']).doUpdateSet({ role: 'owner' })
          : conflict.columns(['workspace_id', 'person_id']).doNothing(),
      )
      .execute();
    await deleteInvitation(transaction, invitation.workspace_id, invitation.id);
    return { session: await createSession(transaction, personId, invitation.workspace_id) };
  });
}
